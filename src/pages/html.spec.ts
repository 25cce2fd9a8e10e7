import { describe, expect, it } from '@jest/globals';
import { escaped, html } from './html.js';

describe('html', () => {
  it('keeps our markup and escapes every value', () => {
    const page = html`<p title="${`"'`}">${'<script>alert(1)</script> & co'}</p>`;
    expect(page.text).toBe('<p title="&quot;&#39;">&lt;script&gt;alert(1)&lt;/script&gt; &amp; co</p>');
  });

  it('prints undefined and false as nothing, and zero as 0', () => {
    expect(html`<p>${undefined}${false}${0}${''}</p>`.text).toBe('<p>0</p>');
  });

  it('removes the indentation of the source, but not of values', () => {
    const page = html`<div>
      <pre>${'{\n  "a": 1\n}'}</pre>
    </div>`;
    expect(page.text).toBe('<div> <pre>{\n  &quot;a&quot;: 1\n}</pre> </div>');
  });

  it('replaces characters that XML does not allow', () => {
    expect(escaped('a\ufffe\uffffb🚀')).toBe('a\ufffd\ufffdb🚀');
    expect(escaped('\u0000\u0001\u0008\u000b\u000c\u000e\u001f')).toBe('\ufffd'.repeat(7));
    expect(escaped('a\tb\r\nc')).toBe('a\tb\r\nc');
  });
});
