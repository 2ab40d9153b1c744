// Run by scripts/check-clients, against a server.
import { Configuration, FriendsApi, InvitesApi, SignupApi } from "./client";
import { KithInvites, Storage } from "./invites";
import { linkURL, parseLink } from "./links";
import { Fetch, retrying, RetryOptions } from "./retry";
import { FriendSync } from "./sync";

declare const process: { env: Record<string, string> };
declare function require(name: string): any;
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { test } = require("node:test");

const base = process.env.BASE_URL;
const tokens: Record<string, string> = JSON.parse(process.env.TOKENS);
const rules = { linkURL: base, schemes: ["kithdemo"] };

class Memory implements Storage {
    readonly values: Record<string, string> = {};
    getItem(key: string) { return this.values[key] ?? null; }
    setItem(key: string, value: string) { this.values[key] = value; }
}

/** As React Native's AsyncStorage: every answer takes a while, and those to calls at the same time come in any order. */
class Slow implements Storage {
    readonly values: Record<string, string> = {};
    async getItem(key: string) {
        await this.pause();
        return this.values[key] ?? null;
    }
    async setItem(key: string, value: string) {
        await this.pause();
        this.values[key] = value;
    }
    private pause() { return new Promise((done) => setTimeout(done, Math.random() * 8)); }
}

/** A phone with an address of its own, by which the server can match. */
function at(address: string, send: Fetch = fetch): Fetch {
    return (input, init = {}) => send(input, { ...init, headers: { ...init.headers, "X-Forwarded-For": address } });
}

function client(uid: string, storage: Storage, send: Fetch = fetch, limit = 500) {
    const fetchApi = retrying({ token: async () => tokens[uid], fetch: send, sleep: async () => {} });
    const configuration = new Configuration({ basePath: base, fetchApi });
    const friends = new FriendsApi(configuration);
    const invites = new InvitesApi(configuration);
    return {
        friends,
        raw: invites,
        invites: new KithInvites({ invites, signup: new SignupApi(configuration) }, rules, storage),
        sync: new FriendSync(friends, uid, storage, limit),
    };
}

/** Does the first calls, and loses their answers. */
function losing(count: number, urls: string[] = []): Fetch {
    return async (input, init) => {
        urls.push(String(input));
        const answer = await fetch(input, init);
        if (urls.length > count) return answer;
        assert.ok(answer.status < 300);
        throw new TypeError("fetch failed");
    };
}

test("every row of links.json", () => {
    const table = JSON.parse(readFileSync(process.env.LINKS, "utf8"));
    assert.ok(table.links.length > 40);
    for (const row of table.links) {
        const link = parseLink(row.text, table.rules);
        assert.deepEqual(link, row.link, row.name);
        assert.equal(link && linkURL(link, table.rules), row.url, row.name);
    }
});

async function attempt(answers: (Response | Error)[], init: any = {}, path = "/v1/me", options: Partial<RetryOptions> = {}) {
    const waits: number[] = [];
    const sent: string[] = [];
    const send = retrying({
        token: async (refresh) => `token-${refresh}`,
        sleep: async (seconds) => void waits.push(seconds),
        random: () => 0,
        fetch: async (_, sending) => {
            sent.push(sending.headers.Authorization);
            const answer = answers.length > 1 ? answers.shift() : answers[0];
            if (answer instanceof Response) return answer.clone();
            throw answer;
        },
        ...options,
    });
    const status = await send(`https://join.example.com${path}`, init).then((answer) => answer.status, (error) => error);
    return { status, waits, sent };
}

function problem(status: number, code: string, retryAfter?: string) {
    return new Response(JSON.stringify({ status, code }), { status, headers: retryAfter ? { "Retry-After": retryAfter } : {} });
}

test("calls are repeated by the rules", async () => {
    const done = new Response("{}");
    const lost = new TypeError("fetch failed");
    const busy = await attempt([problem(503, "unavailable", "3"), problem(429, "rate_limited", "7"), done]);
    assert.deepEqual([busy.status, busy.waits], [200, [3, 7]]);
    const gone = await attempt([lost]);
    assert.deepEqual([gone.status, gone.waits], [lost, [0.25, 0.5, 1]]);
    for (const answer of [problem(429, "username_cooldown", "3"), problem(429, "rate_limited", "3600"), problem(500, "internal_error")]) {
        assert.equal((await attempt([answer, done])).sent.length, 1);
    }
    const refused = await attempt([problem(401, "token_expired"), done]);
    assert.deepEqual(refused.sent, ["Bearer token-false", "Bearer token-true"]);
    assert.equal((await attempt([problem(401, "token_invalid")])).sent.length, 2);
    assert.equal((await attempt([lost], { method: "POST" }, "/v1/invites")).sent.length, 1);
    assert.equal((await attempt([lost], { method: "POST", headers: { "Idempotency-Key": "k" } }, "/v1/invites")).sent.length, 4);
    assert.equal((await attempt([lost], { method: "POST" }, "/v1/signup")).sent.length, 4);
});

test("from the tap to the friendship, with lost answers", async () => {
    const ann = client("ts-ann", new Memory());
    const { link } = await ann.invites.signUp({ username: "ts_ann" });
    const tap = await fetch(`${base}/users/ts_ann/play-store?invitedBy=ts-ann`, {
        redirect: "manual",
        headers: { "User-Agent": "Mozilla/5.0 (Linux; Android 16; Pixel 9)" },
    });
    const referrer = new URL(tap.headers.get("Location") ?? "").searchParams.get("referrer") ?? "";

    const storage = new Memory();
    const urls: string[] = [];
    const evidence = { platform: "android" as const, referrer };
    await assert.rejects(client("ts-bob", storage, losing(9, urls)).invites.claimOnFirstLaunch(evidence));
    const bob = client("ts-bob", storage, losing(1));
    const claim = await bob.invites.claimOnFirstLaunch(evidence);
    assert.equal(claim?.inviter?.uid, "ts-ann");
    assert.deepEqual(await bob.invites.claimOnFirstLaunch(evidence), claim);
    assert.deepEqual(await bob.invites.pendingInvite(), { claim: claim?.claim });
    const answer = await client("ts-bob", storage, losing(1)).invites.signUp({ username: "ts_bob" });
    assert.equal(answer.invite.friendship, "friends");
    assert.deepEqual((await ann.friends.listFriends()).friends.map((friend) => friend.uid), ["ts-bob"]);
    const later: string[] = [];
    assert.equal(await client("ts-bob", storage, losing(9, later)).invites.claimOnFirstLaunch(evidence), undefined);
    assert.equal(later.length, 0);

    const asked: string[] = [];
    const nobody = client("ts-cat", new Memory(), losing(0, asked));
    assert.equal(await nobody.invites.claimOnFirstLaunch({ platform: "android", referrer: "utm_source=x" }), undefined);
    assert.equal(await nobody.invites.claimOnFirstLaunch({ platform: "android", referrer: "utm_source=x" }), undefined);
    assert.equal(asked.length, 1);
    const deep = (target: string) => ({ url: `${base}/l/?link=${encodeURIComponent(target)}`, platform: "ios" as const });
    assert.equal((await nobody.invites.deepLink(deep(`${base}/party`)))?.target, `${base}/party`);
    assert.equal(await nobody.invites.deepLink({ url: `${base}/l/nothing-here` }), undefined);
    assert.equal((await nobody.invites.deepLink(deep(link?.url ?? "")))?.target, link?.url);
    assert.equal((await nobody.invites.pendingInvite())?.url, link?.url);
    assert.ok(await nobody.invites.opened(link?.shortUrl.toUpperCase() ?? ""));
    assert.equal((await nobody.invites.signUp({ username: "ts_cat" })).invite.friendship, "friends");
});

test("calls at the same time, with a storage that takes its time", async () => {
    for (let round = 0; round < 20; round += 1) {
        const storage = new Slow();
        const urls: string[] = [];
        const send: Fetch = async (input, init) => {
            urls.push(String(input));
            return fetch(input, init);
        };
        const app = client("ts-dan", storage, send).invites;
        const evidence = { platform: "ios" as const, pasteboard: `${base}/users/ts_ann?invitedBy=ts-ann` };
        const claims = await Promise.all([1, 2, 3, 4, 5].map(() => app.claimOnFirstLaunch(evidence)));
        assert.equal(urls.length, 1);
        for (const claim of claims) assert.deepEqual(claim, claims[0]);
        assert.equal(claims[0]?.inviter?.uid, "ts-ann");
        // Another start of the app finds all that was written, whatever came at the same time.
        const late = client("ts-dan", storage, send).invites;
        assert.deepEqual(await late.pendingInvite(), { claim: claims[0]?.claim });
        const [link] = await Promise.all([
            late.opened(`${base}/users/ts_cat?invitedBy=ts-cat`),
            late.claimOnFirstLaunch({ ...evidence, referrer: "utm_source=x" }),
            late.pendingInvite(),
        ]);
        assert.ok(link);
        assert.equal(urls.length, 1);
        const last = client("ts-dan", storage, send).invites;
        assert.deepEqual(await last.pendingInvite(), { url: `${base}/users/ts_cat?invitedBy=ts-cat` });
        assert.equal((await last.claimOnFirstLaunch(evidence))?.claim, claims[0]?.claim);
        assert.equal(urls.length, 1);
    }
    // A first start makes one installation, also if all begins at once.
    const storage = new Slow();
    const bodies: any[] = [];
    const app = client("ts-dan", storage, async (input, init) => {
        bodies.push(JSON.parse(init.body));
        return fetch(input, init);
    }).invites;
    await Promise.all([
        app.claimOnFirstLaunch({ platform: "android", referrer: "utm_source=x" }),
        app.opened(`${base}/users/ts_cat?invitedBy=ts-cat`),
        app.claimOnFirstLaunch({ platform: "android", pasteboard: "no link" }),
        app.pendingInvite(),
    ]);
    assert.equal(bodies.length, 2);
    assert.equal(new Set(bodies.map((body) => body.installationId)).size, 1);
    assert.deepEqual(await app.pendingInvite(), { url: `${base}/users/ts_cat?invitedBy=ts-cat` });
    assert.equal(JSON.parse(storage.values["kith.installation"]).installationId, bodies[0].installationId);
    // A storage that fails once loses nothing that was there.
    const write = storage.setItem.bind(storage);
    storage.setItem = async () => { throw new Error("full"); };
    await assert.rejects(app.forgetInvite());
    storage.setItem = write;
    assert.ok(await app.pendingInvite());
    await app.forgetInvite();
    assert.equal(await client("ts-dan", storage).invites.pendingInvite(), undefined);
});

test("friends follow the server, also after a restart", async () => {
    const storage = new Memory();
    const first = client("ts-ann", storage, fetch, 1);
    await first.sync.sync();
    assert.deepEqual((await first.sync.friends()).map((friend) => friend.uid), ["ts-cat", "ts-bob"]);
    await client("ts-bob", new Memory()).friends.unwantFriend({ uid: "ts-ann" });
    const later = client("ts-ann", storage);
    assert.deepEqual((await later.sync.friends()).map((friend) => friend.uid), ["ts-cat", "ts-bob"]);
    assert.ok((await later.sync.friends())[0].since instanceof Date);
    await later.sync.sync();
    assert.deepEqual((await later.sync.friends()).map((friend) => friend.uid), ["ts-cat"]);
    // A cursor that is none there: all is read anew.
    storage.setItem("kith.friends-ts-ann", JSON.stringify({ people: { x: { uid: "x", relationship: "friends" } }, cursor: "bm9uZQ" }));
    const reset = client("ts-ann", storage);
    await reset.sync.sync();
    assert.deepEqual((await reset.sync.friends()).map((friend) => friend.uid), ["ts-cat"]);
});

test("a likely inviter is a friend once the user says yes, and a pasted link wins", async () => {
    const tap = (address: string) => fetch(`${base}/users/ts_ann/app-store?invitedBy=ts-ann`, {
        redirect: "manual",
        headers: {
            "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Mobile/15E148",
            "Accept-Language": "ja", "X-Forwarded-For": address,
        },
    });
    const evidence = { platform: "ios" as const, facts: { osVersion: "18.6", language: "ja-JP" } };
    await tap("198.51.100.1");
    const storage = new Slow();
    const app = client("ts-dan", storage, at("198.51.100.1")).invites;
    assert.equal((await app.claimOnFirstLaunch(evidence))?.confidence, "likely");
    assert.ok(await app.isLikely());
    assert.equal((await app.signUp({ username: "ts_dan" })).invite.friendship, "incoming");
    const later = client("ts-dan", storage, at("198.51.100.1")).invites;
    assert.ok(await later.isLikely());
    assert.equal((await later.resolve())?.inviter.uid, "ts-ann");
    assert.equal((await later.accept())?.friendship, "friends");
    assert.equal(await later.accept(), undefined);

    await tap("198.51.100.2");
    const other = client("ts-eve", new Slow(), at("198.51.100.2")).invites;
    assert.equal((await other.claimOnFirstLaunch(evidence))?.inviter?.uid, "ts-ann");
    await other.claimOnFirstLaunch({ ...evidence, pasteboard: `${base}/users/ts_cat?invitedBy=ts-cat` });
    assert.equal(await other.isLikely(), false);
    const { invite } = await other.signUp({ username: "ts_eve" });
    assert.deepEqual([invite.inviter?.uid, invite.friendship], ["ts-cat", "friends"]);
    assert.equal(await other.pendingInvite(), undefined);
});
