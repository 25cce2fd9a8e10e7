import { Injectable } from '@nestjs/common';

/** Whether the service was told to end. Balancers learn it from `/health/ready`, while everything is still answered. */
@Injectable()
export class ShutdownState {
  private begun = false;

  get isOn(): boolean {
    return this.begun;
  }

  begin(): void {
    this.begun = true;
  }
}
