import ipaddr from 'ipaddr.js';

const NETWORK_PARTS = 4;

/**
 * What stands for one client among addresses: an IPv4 address, or the /64 network of an IPv6 address, all of which one customer has.
 * @param address undefined when the connection has gone already
 */
export function clientOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, NETWORK_PARTS)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
