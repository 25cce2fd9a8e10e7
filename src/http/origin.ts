import { isIPv6, type Socket } from 'node:net';
import { createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import proxyAddr from 'proxy-addr';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import type { RegistryRequest } from './exchange.js';
import { type Query, targetOf } from './request-head.js';

/** How a client reached a resource: what links in the answer are made from. */
export interface Origin {
  /** Base of absolute links: PUBLIC_URL, else `http://host:port` as the client called us. */
  base: string;
  /** The path as it came, without query: it keeps the prefix. */
  path: string;
  query: Query;
}

/** Finds out how the client of a request reached us. What a proxy says of that counts where TRUST_PROXY names the proxy. */
@Injectable()
export class Origins {
  private readonly publicUrl: string | undefined;
  private readonly isTrusted: (address: string, distance: number) => boolean;

  constructor(@Inject(CONFIG) { publicUrl, trustProxy }: Config) {
    this.publicUrl = publicUrl;
    this.isTrusted = proxyAddr.compile(trustProxy);
  }

  of(request: RegistryRequest): Origin {
    const { path, query } = targetOf(request);
    return { base: this.publicUrl ?? this.baseOf(request), path, query };
  }

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

/** Handler parameter: the request itself, for a pipe that reads it. */
export const Sent = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<RegistryRequest>(),
);

/** Handler parameter: the query of the request. */
export const SentQuery = createParamDecorator(
  (_: unknown, context: ExecutionContext) => targetOf(context.switchToHttp().getRequest<RegistryRequest>()).query,
);
