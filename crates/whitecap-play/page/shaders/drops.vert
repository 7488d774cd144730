#version 300 es
// A drop: centre and radius as fractions of one.
layout(location = 0) in vec4 part;
uniform vec3 low;
uniform vec3 size;
uniform mat4 camera;
uniform float pixels;

void main() {
    float radius = part.w * max(size.x, max(size.y, size.z));
    gl_Position = camera * vec4(low + size * part.xyz, 1.0);
    gl_PointSize = max(2.0, 2.0 * radius * pixels / gl_Position.w);
}
