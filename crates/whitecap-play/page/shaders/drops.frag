// A drop as a small lit ball.
uniform vec3 scattered;
out vec4 color;

void main() {
    vec2 at = 2.0 * gl_PointCoord - 1.0;
    float square = dot(at, at);
    if (square > 1.0) discard;
    vec3 up = vec3(at.x, -at.y, sqrt(1.0 - square));
    float light = 0.4 + 0.6 * max(dot(up, normalize(vec3(0.4, 0.7, 0.5))), 0.0);
    color = vec4(encode(scattered * light + 0.5 * pow(max(up.z, 0.0), 30.0)), 1.0);
}
