#version 300 es
// The light of the scene: a low sun with soft shadows, and a sky.
precision highp float;
precision highp sampler2DShadow;

uniform vec3 sun;
uniform vec3 eye;
uniform mat4 shadowCamera;
uniform sampler2DShadow shadowMap;

const vec3 SUN_COLOR = vec3(1.9, 1.72, 1.45);
const float EXPOSURE = 1.25;

// Conversion of light to stored values, and back.
vec3 encode(vec3 light) { return sqrt(1.0 - exp(-EXPOSURE * max(light, 0.0))); }
vec3 decode(vec3 stored) { return -log(max(1.0 - stored * stored, 1e-3)) / EXPOSURE; }

// Light that comes from a direction.
vec3 sky(vec3 direction) {
    float up = direction.y;
    vec3 above = mix(vec3(0.78, 0.84, 0.9), vec3(0.2, 0.38, 0.68), smoothstep(0.0, 0.75, up));
    vec3 below = vec3(0.32, 0.28, 0.24);
    vec3 color = mix(below, above, smoothstep(-0.12, 0.1, up));
    // A bright window beside the sun gives liquids an edge.
    float window = smoothstep(0.55, 0.75, dot(direction, normalize(vec3(0.5, 0.8, -0.6))));
    return color + 0.6 * window;
}

// Light from all sides on a surface.
vec3 ambient(vec3 normal) {
    float up = 0.5 + 0.5 * normal.y;
    return mix(vec3(0.17, 0.145, 0.125), vec3(0.42, 0.5, 0.62), up);
}

// How much of the sun reaches a position, 0 to 1.
float sunlight(vec3 position, vec3 normal) {
    vec4 at = shadowCamera * vec4(position, 1.0);
    vec3 place = 0.5 + 0.5 * at.xyz / at.w;
    float slant = clamp(1.0 - dot(normal, sun), 0.0, 1.0);
    float depth = place.z - 0.0012 - 0.004 * slant;
    vec2 texel = 1.0 / vec2(textureSize(shadowMap, 0));
    float light = 0.0;
    for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) {
            light += texture(shadowMap, vec3(place.xy + 1.7 * texel * vec2(i, j), depth));
        }
    }
    return light / 9.0;
}
