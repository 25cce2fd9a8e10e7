import proxyAddr from 'proxy-addr';
import { isIPv6, type Socket } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/config/config.module.js';
import { logger } from '../platform/logging/logger.js';
import type { RegistryRequest } from './request.js';
import { type Query, targetOf } from './request-target.js';

/** How a client addressed a resource; the answer's links are made from it. */
export interface Origin {
  /** Base of absolute links: PUBLIC_URL, else `http://host:port` of the request. */
  base: string;
  /** The request's path, with its prefix and without query. */
  path: string;
  query: Query;
}

/** @returns the path of PUBLIC_URL, which links without a host begin with; usually empty */
export function rootOf({ base }: Pick<Origin, 'base'>): string {
  return base.replace(/^https?:\/\/[^/]*/, '');
}

/** Headers with which a proxy describes its client. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

/** Determines how a client addressed a resource. Forwarded headers count only from proxies that TRUST_PROXY names. */
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

  /** Logs once that a proxy seems to be in front which TRUST_PROXY does not name. */
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
    // The client called the first of several proxies. The header is only compared, because a client may have forged it.
    const [first = ''] = forwarded.split(',');
    const isSecure = first.trim() === 'https' && this.isTrusted(socket.remoteAddress ?? '', 0);
    return `${isSecure ? 'https' : 'http'}://${host}`;
  }
}

/** The called address, for HTTP/1.0 without a Host; without the zone of an IPv6 address, which other machines cannot use. */
function addressOf({ localAddress = '', localPort }: Socket): string {
  const [address = ''] = localAddress.split('%');
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort}`;
}
