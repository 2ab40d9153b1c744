/** What a URL that opened the app, or that the user scanned or pasted, says. Whether the link still works says the server. */
export type KithLink = { username: string; invitedBy?: string; code?: string } | { code: string; username?: undefined };

/** Which URLs are links of the app. */
export interface LinkRules {
    /** Where the server's links begin, such as `https://join.example.com`. */
    linkURL: string;
    /** More hosts of links. */
    otherHosts?: string[];
    /** The app's own schemes. */
    schemes?: string[];
    /** Hosts whose links wrap another in `link`, beside those of Firebase Dynamic Links. */
    wrappingHosts?: string[];
}

interface Parts { scheme: string; authority: string; path: string; query: string }

/** Reads a URL; undefined if it is no link of the app. It needs no `URL`, which React Native has only in part. */
export function parseLink(text: string, rules: LinkRules, depth = 0): KithLink | undefined {
    const parts = split(text.trim());
    if (!parts || depth > 3 || text.length > 8192) return undefined;
    const has = (list: string[] | undefined, name: string) => (list ?? []).some((item) => item.toLowerCase() === name);
    const isScheme = has(rules.schemes, parts.scheme);
    const ours = split(rules.linkURL);
    let link: KithLink | undefined;
    if (isScheme) {
        // In `myapp://users/ann` the host is the first part of the path.
        link = linkAt(`${parts.authority}${parts.path}`, parts.query);
    } else if (
        (parts.scheme === ours?.scheme && parts.authority.toLowerCase() === ours?.authority.toLowerCase()) ||
        (parts.scheme === "https" && has(rules.otherHosts, parts.authority.toLowerCase()))
    ) {
        link = linkAt(parts.path, parts.query);
    }
    if (link) return link;
    const host = parts.authority.toLowerCase().replace(/:\d*$/, "");
    const wraps = isScheme
        ? host === "google"
        : /^https?$/.test(parts.scheme) && (has(rules.wrappingHosts, host) || /\.(page\.link|app\.goo\.gl)$/.test(host));
    const inner = wraps ? value(parts.query, "deep_link_id") ?? value(parts.query, "link") : undefined;
    return inner === undefined ? undefined : parseLink(inner, rules, depth + 1);
}

/** The same link on the web, as the server writes it: to send to it, or to share. */
export function linkURL(link: KithLink, rules: LinkRules): string {
    const origin = rules.linkURL.replace(/\/$/, "");
    if (link.username === undefined) return `${origin}/${link.code}`;
    const query = (["invitedBy", "code"] as const)
        .filter((name) => link[name] !== undefined)
        .map((name) => `${name}=${encode(link[name] ?? "")}`);
    return `${origin}/users/${encode(link.username)}${query.length ? `?${query.join("&")}` : ""}`;
}

function split(text: string): Parts | undefined {
    const found = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(text);
    // A user before the host can make a URL look like another.
    if (!found || found[2].includes("@")) return undefined;
    return { scheme: found[1].toLowerCase(), authority: found[2], path: found[3], query: found[4] ?? "" };
}

function linkAt(path: string, query: string): KithLink | undefined {
    const parts = path.split("/").filter((part) => part !== "").map(decode);
    const isVanity = parts.length === 1 && /^@./.test(parts[0]);
    if (parts.length === 1 && !isVanity) {
        const code = readCode(parts[0]);
        return code === undefined ? undefined : { code };
    }
    const username = isVanity ? parts[0].slice(1) : parts.length === 2 && parts[0] === "users" ? parts[1] : "";
    if (username === "") return undefined;
    const code = readCode(value(query, "code") ?? "");
    const invitedBy = value(query, "invitedBy") ?? (mentionsInviter(query) ? "" : undefined);
    return { username, ...(invitedBy !== undefined && { invitedBy }), ...(code !== undefined && { code }) };
}

/** A code as the server writes it, from any case and with o for 0, i or l for 1, without what chats stick to its end. */
function readCode(text: string): string | undefined {
    const code = text.toLowerCase().replace(/o/g, "0").replace(/[il]/g, "1");
    return /^[0-9a-hjkmnp-tv-z]{16}(?![0-9a-hjkmnp-tv-z])/.exec(code)?.[0];
}

/** Decoded once; `+` stays `+`. Empty if it is wrongly encoded: a broken uid must not become none. */
function value(query: string, name: string): string | undefined {
    for (const pair of query.split("&")) {
        const at = pair.indexOf("=");
        if (decode(at < 0 ? pair : pair.slice(0, at)) === name) return at < 0 ? "" : decode(pair.slice(at + 1));
    }
    return undefined;
}

/** Whether the query has what was an inviter before it was mangled. Without it the name alone could be somebody else's by now. */
function mentionsInviter(query: string): boolean {
    return (decode(query) || query).toLowerCase().replace(/[^a-z]/g, "").includes("invitedby");
}

function decode(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        return "";
    }
}

function encode(text: string): string {
    return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
