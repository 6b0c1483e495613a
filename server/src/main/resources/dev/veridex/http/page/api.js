// Everything that the page asks the server. The token is kept in this tab and nowhere else.

const KEPT = 'veridex';

export class Api {
  constructor(account, token) {
    this.account = account;
    this.token = token;
  }

  // What was signed in with: in the address, once, or in this tab.
  static restore() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (given.get('token')) {
      history.replaceState(null, '', location.pathname);
      const api = new Api(given.get('account') ?? 'acme', given.get('token'));
      api.keep();
      return api;
    }
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
    return kept && new Api(kept.account, kept.token);
  }

  keep() {
    sessionStorage.setItem(KEPT, JSON.stringify({account: this.account, token: this.token}));
  }

  static forget() {
    sessionStorage.removeItem(KEPT);
  }

  async ask(method, path, body) {
    const answer = await fetch(`v1/accounts/${encodeURIComponent(this.account)}${path}`, {
      method,
      headers: {
        'Authorization': `Bearer ${this.token}`,
        ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const json = await answer.json();
    if (!answer.ok) {
      throw new Error(`${json.detail ?? answer.statusText} (${json.code ?? answer.status})`);
    }
    return json;
  }

  buckets() {
    return this.ask('GET', '/buckets?limit=1000');
  }

  search(bucket, question) {
    return this.ask('POST', `/buckets/${encodeURIComponent(bucket)}/search`, question);
  }

  suggest(bucket, question) {
    return this.ask('POST', `/buckets/${encodeURIComponent(bucket)}/suggest`, question);
  }

  why(bucket, pk, as) {
    return this.ask('POST', `/buckets/${encodeURIComponent(bucket)}/search/why`, {pk, as});
  }

  individual(id) {
    return this.ask('GET', `/access/individuals/${encodeURIComponent(id)}`);
  }

  state(individual) {
    return this.ask('POST', '/access/individuals', individual);
  }
}
