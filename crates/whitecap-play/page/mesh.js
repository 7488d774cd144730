// Buffers that go to the graphics card as they come from the server.

const VERTEX_BYTES = 12;
const DROP_BYTES = 8;

export class Mesh {
  constructor(gl) {
    this.gl = gl;
    this.array = gl.createVertexArray();
    this.vertices = gl.createBuffer();
    this.indices = gl.createBuffer();
    this.dropArray = gl.createVertexArray();
    this.drops = gl.createBuffer();
    this.head = null;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 4, gl.UNSIGNED_SHORT, true, VERTEX_BYTES, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 2, gl.SHORT, true, VERTEX_BYTES, 8);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
    gl.bindVertexArray(this.dropArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.drops);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 4, gl.UNSIGNED_SHORT, true, DROP_BYTES, 0);
    gl.bindVertexArray(null);
  }

  /** Takes the buffers of a packet. */
  update({ head, body }) {
    const gl = this.gl;
    const vertexBytes = head.vertices * VERTEX_BYTES;
    const indexBytes = head.indices * (head.wide ? 4 : 2);
    const dropStart = vertexBytes + Math.ceil(indexBytes / 4) * 4;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, body.subarray(0, vertexBytes), gl.STREAM_DRAW);
    gl.bufferData(
      gl.ELEMENT_ARRAY_BUFFER,
      body.subarray(vertexBytes, vertexBytes + indexBytes),
      gl.STREAM_DRAW,
    );
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.drops);
    gl.bufferData(gl.ARRAY_BUFFER, body.subarray(dropStart), gl.STREAM_DRAW);
    this.head = head;
  }

  draw() {
    const gl = this.gl;
    gl.bindVertexArray(this.array);
    const kind = this.head.wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
    gl.drawElements(gl.TRIANGLES, this.head.indices, kind, 0);
    gl.bindVertexArray(null);
  }

  drawDrops() {
    const gl = this.gl;
    gl.bindVertexArray(this.dropArray);
    gl.drawArrays(gl.POINTS, 0, this.head.drops);
    gl.bindVertexArray(null);
  }
}
