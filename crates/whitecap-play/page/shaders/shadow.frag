#version 300 es
// Only the depth counts.
void main() {}
