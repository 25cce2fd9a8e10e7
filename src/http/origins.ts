import proxyAddr from 'proxy-addr';
import { isIPv6, type Socket } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/config/config.module.js';
import { logger } from '../platform/logging/logger.js';
import type { RegistryRequest } from './request.js';
import { type Query, targetOf } from './request-target.js';

/** How a client reached a resource: what links in the answer are made from. */
export interface Origin {
  /** Base of absolute links: PUBLIC_URL, else `http://host:port` as the client called us. */
  base: string;
  /** The path as it came, without query: it keeps the prefix. */
  path: string;
  query: Query;
}

/** Headers by which a proxy tells of its client. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

/** Finds out how the client of a request reached us. What a proxy says of that counts where TRUST_PROXY names the proxy. */
@Injectable()
export class Origins {
  private readonly publicUrl: string | undefined;
  private readonly isTrusted: (address: string, distance: number) => boolean;
  private isProxyLogged = false;

  constructor(@Inject(CONFIG) { publicUrl, trustProxy }: Config) {
    this.publicUrl = publicUrl;
    this.isTrusted = proxyAddr.compile(trustProxy);
  }

  of(request: RegistryRequest): Origin {
    const { path, query } = targetOf(request);
    return { base: this.publicUrl ?? this.baseOf(request), path, query };
  }

  /** Logs, once, that a proxy which TRUST_PROXY does not name seems to stand in front. */
  readonly noticeProxy = ({ headers, socket }: RegistryRequest): void => {
    if (this.isProxyLogged || !FORWARDED.some((name) => name in headers)) return;
    const address = socket.remoteAddress ?? '';
    if (this.isTrusted(address, 0)) return;
    this.isProxyLogged = true;
    const missing = this.publicUrl === undefined ? ', and PUBLIC_URL to the base of public links' : '';
    logger.warn(
      { address },
      `X-Forwarded headers came from an address that TRUST_PROXY does not name, and are ignored. If it is your proxy, set TRUST_PROXY to its network${missing}; otherwise a client sent them`,
    );
  };

  private baseOf({ authority, headers, socket }: RegistryRequest): string {
    const host = authority ?? headers.host ?? addressOf(socket);
    const forwarded = String(headers['x-forwarded-proto'] ?? '');
    // The first of several proxies was called by the client. Its word is only compared, as a client may have written it.
    const [first = ''] = forwarded.split(',');
    const isSecure = first.trim() === 'https' && this.isTrusted(socket.remoteAddress ?? '', 0);
    return `${isSecure ? 'https' : 'http'}://${host}`;
  }
}

/** The address that was called, for HTTP/1.0 without a Host. The zone of an IPv6 address means something on this machine only. */
function addressOf({ localAddress = '', localPort }: Socket): string {
  const [address = ''] = localAddress.split('%');
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort}`;
}
