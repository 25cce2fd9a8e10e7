import { Injectable } from '@nestjs/common';

/** Whether shutdown has begun. `/health/ready` reports it to load balancers while requests are still served. */
@Injectable()
export class ShutdownState {
  private begun = false;

  get hasBegun(): boolean {
    return this.begun;
  }

  begin(): void {
    this.begun = true;
  }
}
