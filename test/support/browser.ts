import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type ConsoleMessage,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';

/** Headless Chromium, one per test file. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  /** @param executablePath defaults to the browser found by the global setup */
  static async start(executablePath = foundPath()): Promise<TestBrowser> {
    return new TestBrowser(await chromium.launch({ executablePath }));
  }

  /**
   * Opens a page in a new browser context.
   * @param home the visited site, such as `http://127.0.0.1:8080`; a request to another origin is a fault
   */
  async visit(home: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.browser.newContext({
      baseURL: home,
      viewport: { width: 1200, height: 800 },
      ...options,
    });
    // Below the test's own limit, so that a hanging step reports itself.
    context.setDefaultTimeout(120_000);
    return new Visit(await context.newPage(), home);
  }

  async stop(): Promise<void> {
    await this.browser.close();
  }
}

/** A page and its faults. */
export class Visit {
  /** Console errors and warnings (Content-Security-Policy violations included), script errors, requests that failed or left the origin. */
  readonly faults: string[] = [];
  /** Paths of all requests. */
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

  /** @returns the status. @param path may have a query */
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
    // The console repeats the error status of the page, which `goTo` has returned already.
    if (message.location().url === this.going && message.text().startsWith('Failed to load resource')) return;
    if (['error', 'warning'].includes(message.type())) this.faults.push(`${message.type()}: ${message.text()}`);
  }

  private miss(request: Request): void {
    const reason = request.failure()?.errorText;
    // Following a link aborts pending requests of the old page.
    if (reason !== 'net::ERR_ABORTED') this.faults.push(`failed: ${request.url()} ${reason}`);
  }

  private note(address: string): void {
    const url = new URL(address);
    if (url.origin === new URL(this.home).origin) this.asked.push(url.pathname);
    // Data URLs are not requests.
    else if (url.protocol !== 'data:') this.faults.push(`asked another origin: ${address}`);
  }
}

/** Clicks, and waits until the next page has loaded: a click itself resolves when that page begins to load. */
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
