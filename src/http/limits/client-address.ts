import ipaddr from 'ipaddr.js';

const NETWORK_PARTS = 4;
/** Some proxies append the port of their client. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?::\d+)?$/;

/** Removes a port from the end of an address. */
export function withoutPort(address: string): string {
  const { v6, v4 } = WITH_PORT.exec(address)?.groups ?? {};
  return v6 ?? v4 ?? address;
}

/**
 * The part of an address that identifies one client: an IPv4 address, or the /64 network of an IPv6 address, which one customer has alone.
 * @param address undefined when the connection is already closed
 */
export function clientOf(address: string | undefined): string {
  const bare = address && withoutPort(address);
  if (bare === undefined || !ipaddr.isValid(bare)) return 'unknown';
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, NETWORK_PARTS)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
