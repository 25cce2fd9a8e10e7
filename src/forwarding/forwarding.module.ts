import { Global, Module } from '@nestjs/common';
import { FORWARDING } from '../assets/asset-writer.js';
import { FORWARDING_OBSERVER, type ForwardingObserver } from './forwarding-observer.js';
import { HostWriter } from './host-writer.js';

/** Only where several processes serve: without it each process writes by itself. */
@Global()
@Module({
  providers: [
    {
      provide: HostWriter,
      inject: [FORWARDING_OBSERVER],
      useFactory: (observer: ForwardingObserver) => new HostWriter(observer),
    },
    { provide: FORWARDING, useExisting: HostWriter },
  ],
  exports: [HostWriter, FORWARDING],
})
export class ForwardingModule {}
