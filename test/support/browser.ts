import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type ConsoleMessage,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';

/** Headless Chromium, one for a test file. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  /** @param executablePath by default the one that was found for the e2e tests */
  static async start(executablePath = foundPath()): Promise<TestBrowser> {
    return new TestBrowser(await chromium.launch({ executablePath }));
  }

  /**
   * A page of a visitor who has never been here.
   * @param home what he visits, such as `http://127.0.0.1:8080`; whatever is asked of another origin is a fault
   */
  async visit(home: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.browser.newContext({
      baseURL: home,
      viewport: { width: 1200, height: 800 },
      ...options,
    });
    // What hangs shall say so before the test's own limit.
    context.setDefaultTimeout(120_000);
    return new Visit(await context.newPage(), home);
  }

  async stop(): Promise<void> {
    await this.browser.close();
  }
}

/** A page and what went wrong in it. */
export class Visit {
  /** Errors and warnings of the console (a breach of the Content-Security-Policy is one), errors of scripts, requests that failed or left the origin. */
  readonly faults: string[] = [];
  /** Paths of all that was asked for. */
  readonly asked: string[] = [];
  private going = '';

  constructor(
    readonly page: Page,
    private readonly home: string,
  ) {
    page.on('console', (message) => this.hear(message));
    page.on('pageerror', (error) => this.faults.push(`a script failed: ${error.message}`));
    page.on('requestfailed', (request) => this.miss(request));
    page.on('request', (request) => this.note(request.url()));
  }

  /** @returns the status. @param path with a query, perhaps */
  async goTo(path: string): Promise<number> {
    this.going = new URL(path, this.home).href;
    const response = await this.page.goto(path);
    return response?.status() ?? 0;
  }

  /** Ends the visit. */
  async end(): Promise<void> {
    await this.page.context().close();
  }

  private hear(message: ConsoleMessage): void {
    // Of a page that is no success the console repeats the status, which `goTo` has told already.
    if (message.location().url === this.going && message.text().startsWith('Failed to load resource')) return;
    if (['error', 'warning'].includes(message.type())) this.faults.push(`${message.type()}: ${message.text()}`);
  }

  private miss(request: Request): void {
    const reason = request.failure()?.errorText;
    // Whoever follows a link does not wait for the rest of the page.
    if (reason !== 'net::ERR_ABORTED') this.faults.push(`failed: ${request.url()} ${reason}`);
  }

  private note(address: string): void {
    const url = new URL(address);
    if (url.origin === new URL(this.home).origin) this.asked.push(url.pathname);
    // What a page brings itself is no request.
    else if (url.protocol !== 'data:') this.faults.push(`asked another origin: ${address}`);
  }
}

/** Clicks, and waits until the page that it leads to has come whole: a click by itself ends where that page begins. */
export async function click(what: Locator): Promise<void> {
  await what.click();
  await what.page().waitForLoadState();
}

function foundPath(): string {
  const path = process.env.TEST_BROWSER;
  if (path === undefined)
    throw new Error(process.env.TEST_BROWSER_MISSING ?? 'Only tests of the e2e project have a browser.');
  return path;
}
