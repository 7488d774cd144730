// Liquid: what lies below it, bent and coloured by depth, under a reflection of the sky.
in vec3 position;
in vec3 normal;
in float opacity;
uniform sampler2D below;
uniform mat4 camera;
uniform vec3 absorbed;
uniform vec3 scattered;
out vec4 color;

void main() {
    vec3 up = normalize(normal);
    vec3 view = normalize(eye - position);
    float facing = max(dot(up, view), 0.02);
    vec2 place = gl_FragCoord.xy / vec2(textureSize(below, 0));
    vec4 shifted = camera * vec4(up - vec3(0.0, 1.0, 0.0), 0.0);
    vec2 bend = -0.035 * shifted.xy * smoothstep(0.0, 0.25, opacity);
    vec3 seen = decode(texture(below, clamp(place + bend, 0.001, 0.999)).rgb);

    // Slanted views go through more of it.
    float way = opacity * mix(1.0, 1.6, 1.0 - facing);
    vec3 kept = exp(-absorbed * way);
    float lit = sunlight(position, up);
    float light = 0.35 + 0.65 * lit * max(dot(up, sun), 0.0);
    vec3 body = seen * kept + scattered * light * (1.0 - kept);

    float mirror = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 bounced = reflect(-view, up);
    vec3 surface = mix(body, sky(bounced), mirror);
    float glint = max(dot(bounced, sun), 0.0);
    surface += SUN_COLOR * lit * (2.2 * pow(glint, 700.0) + 0.16 * pow(glint, 40.0));
    // A film of zero depth is all but invisible.
    color = vec4(encode(surface), smoothstep(0.0, 0.02, opacity));
}
