// Stone, darker where it is steep, with a grain and faint lines of equal height.
in vec3 position;
in vec3 normal;
in float opacity;
uniform float grain;
uniform float contour;
out vec4 color;

float random(vec3 cell) {
    return fract(sin(dot(cell, vec3(12.9898, 78.233, 37.719))) * 43758.5453);
}

float noise(vec3 at) {
    vec3 cell = floor(at), part = fract(at);
    part = part * part * (3.0 - 2.0 * part);
    float sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        vec3 step = vec3(corner & 1, (corner >> 1) & 1, corner >> 2);
        vec3 share = mix(1.0 - part, part, step);
        sum += random(cell + step) * share.x * share.y * share.z;
    }
    return sum;
}

void main() {
    vec3 smoothed = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);
    // At sharp edges the mean normal of a vertex is that of none of its triangles.
    vec3 level = normalize(cross(dFdx(position), dFdy(position)));
    vec3 facing = normalize(mix(level, smoothed, smoothstep(0.7, 0.9, dot(level, smoothed))));
    vec3 at = position / grain;
    float speckle = 0.6 * noise(at * 0.35) + 0.4 * noise(at * 1.6);
    float flatness = smoothstep(0.55, 0.95, facing.y);
    vec3 stone = mix(vec3(0.3, 0.245, 0.2), vec3(0.56, 0.5, 0.4), flatness);
    stone *= 0.72 + 0.5 * speckle;
    float height = position.y / contour;
    float line = abs(fract(height - 0.5) - 0.5) / max(fwidth(height), 1e-6);
    stone *= 1.0 - 0.16 * flatness * (1.0 - smoothstep(0.4, 1.4, line));
    float direct = max(dot(facing, sun), 0.0);
    vec3 light = ambient(facing);
    if (direct > 0.0) light += SUN_COLOR * direct * sunlight(position, facing);
    if (!gl_FrontFacing) light *= 0.35;
    color = vec4(encode(stone * light), 1.0);
}
