// The socket to the server: asks when the last answer has arrived, and passes packets on.

const DECODER = new TextDecoder();
const RETRY_MILLISECONDS = 1000;
const POLICY_VIOLATION = 1008;

function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(DECODER.decode(new Uint8Array(buffer, 4, length)));
  return { head, body: new Uint8Array(buffer, 4 + length) };
}

export class Stream {
  /** `onPacket` gets every terrain and surface, `onState` a word about the connection. */
  constructor(token, onPacket, onState) {
    this.address = `ws://${location.host}/socket?token=${encodeURIComponent(token)}`;
    this.onPacket = onPacket;
    this.onState = onState;
    this.orders = [];
    this.connect();
  }

  connect() {
    this.seen = 0;
    this.terrainSeen = 0;
    this.isWaiting = false;
    this.socket = new WebSocket(this.address);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.onState("connected");
    this.socket.onmessage = (event) => this.receive(unpack(event.data));
    this.socket.onclose = (event) => {
      if (event.code === POLICY_VIOLATION) {
        this.onState("refused");
        return;
      }
      this.onState("lost");
      setTimeout(() => this.connect(), RETRY_MILLISECONDS);
    };
  }

  receive(packet) {
    const { kind, number } = packet.head;
    if (kind === "terrain") this.terrainSeen = number;
    else this.isWaiting = false;
    if (kind === "surface") this.seen = number;
    if (kind !== "same") this.onPacket(packet);
  }

  /** Something to be done once. */
  order(order) {
    this.orders.push(order);
  }

  /** Whether it may ask for what is new: not while an answer is pending. */
  get isReady() {
    return !this.isWaiting && this.socket.readyState === WebSocket.OPEN;
  }

  /** Asks for what is new. */
  ask(eye, hand) {
    const message = {
      seen: this.seen,
      "terrain-seen": this.terrainSeen,
      eye,
      hand,
      orders: this.orders.splice(0, 16),
    };
    this.socket.send(JSON.stringify(message));
    this.isWaiting = true;
  }
}
