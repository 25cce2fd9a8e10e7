import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { basic } from '../support/registry.js';

export type Attack = 'slow headers' | 'slow bodies' | 'silent' | 'unread';

const AT_ONCE = 100;
const PAUSE_MS = 10;
const DRIP_MS = 2_000;
/** The slow sockets send their drips in this many portions, because the measured clients share this process. */
const PORTIONS = 40;
/** Source addresses, used round robin: one has only some 28,000 ports. */
const SOURCES = 20;

const FIRST_BYTES: Record<Attack, string> = {
  'slow headers': 'GET /api/0.1/assets HTTP/1.1\r\nHost: a\r\n',
  'slow bodies': `POST /api/0.1/assets HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic('broker')}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  silent: '',
  unread: 'GET /api/0.1/assets?limit=1000&opt_fields=* HTTP/1.1\r\nHost: a\r\n\r\n',
};
const DRIPS: Partial<Record<Attack, string>> = { 'slow headers': 'X-A: b\r\n', 'slow bodies': ' ' };

/** Useless open sockets; each one that the service closes is reopened. */
export class Attackers {
  private readonly sockets = new Map<Socket, Attack>();
  reopens = true;
  private opened = 0;
  private readonly drip = setInterval(() => this.sendDrips(), DRIP_MS / PORTIONS);

  constructor(
    private readonly url: URL,
    private readonly attacks: readonly Attack[],
  ) {}

  get openCount(): number {
    return this.sockets.size;
  }

  async open(sockets: number): Promise<void> {
    for (let i = 0; i < sockets; i++) {
      this.attack(this.attacks[i % this.attacks.length] as Attack);
      if (i % AT_ONCE === AT_ONCE - 1) await sleep(PAUSE_MS);
    }
  }

  stop(): void {
    this.reopens = false;
    clearInterval(this.drip);
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  private attack(attack: Attack): void {
    const localAddress = `127.0.1.${1 + (this.opened++ % SOURCES)}`;
    const socket = connect({ host: this.url.hostname, port: Number(this.url.port), localAddress });
    this.sockets.set(socket, attack);
    socket.on('error', () => undefined);
    socket.once('connect', () => socket.write(FIRST_BYTES[attack]));
    if (attack === 'unread') socket.pause();
    else socket.resume();
    socket.once('close', () => {
      this.sockets.delete(socket);
      if (this.reopens) setTimeout(() => this.reopens && this.attack(attack), PAUSE_MS);
    });
  }

  private sendDrips(): void {
    for (const [socket, attack] of this.sockets) {
      const drip = Math.random() < 1 / PORTIONS ? DRIPS[attack] : undefined;
      if (drip !== undefined && socket.writable && !socket.connecting) socket.write(drip);
    }
  }
}
