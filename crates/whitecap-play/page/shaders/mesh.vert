#version 300 es
// A packed vertex: position and opacity as fractions of one, the normal on an unfolded octahedron.
layout(location = 0) in vec4 part;
layout(location = 1) in vec2 folded;
uniform vec3 low;
uniform vec3 size;
uniform mat4 camera;
out vec3 position;
out vec3 normal;
out float opacity;

void main() {
    position = low + size * part.xyz;
    opacity = part.w;
    float up = 1.0 - abs(folded.x) - abs(folded.y);
    vec2 side = folded - max(-up, 0.0) * vec2(folded.x < 0.0 ? -1.0 : 1.0, folded.y < 0.0 ? -1.0 : 1.0);
    normal = vec3(side.x, up, side.y);
    gl_Position = camera * vec4(position, 1.0);
}
