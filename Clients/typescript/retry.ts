/** `fetch`, as the generated client calls it. */
export type Fetch = (input: any, init?: any) => Promise<Response>;

export interface RetryOptions {
    /** Gives the user's ID token, or a client key. Asked again with `true` if the server refused the one before. */
    token: (refresh: boolean) => Promise<string>;
    attempts?: number;
    /** Seconds before the first repetition, if the server names none; it doubles. */
    firstWait?: number;
    /** Seconds; a server that asks for more gets no further attempt. */
    longestWait?: number;
    fetch?: Fetch;
    sleep?: (seconds: number) => Promise<void>;
    random?: () => number;
}

const repeatablePosts = ["/signup", "/invites/resolve", "/invites/accept", "/installs/claim", "/users", "/requests", "/links/resolve"];

/**
 * A `fetch` that adds the token and repeats calls by the rules of docs/apps.md:
 * `new Configuration({ basePath, fetchApi: retrying({ token }) })`.
 */
export function retrying(options: RetryOptions): Fetch {
    const { attempts = 4, firstWait = 0.5, longestWait = 30, random = Math.random } = options;
    const send = options.fetch ?? ((input, init) => fetch(input, init));
    const sleep = options.sleep ?? ((seconds) => new Promise((done) => setTimeout(done, seconds * 1000)));
    return async (input, init = {}) => {
        const mayRepeat = isRepeatable(String(input), init);
        let isRefreshed = false;
        for (let attempt = 1; ; attempt += 1) {
            const headers = { ...plain(init.headers), Authorization: `Bearer ${await options.token(isRefreshed)}` };
            let answer: Response | undefined;
            let lost: unknown;
            try {
                answer = await send(input, { ...init, headers });
                if (answer.status === 401 && !isRefreshed) {
                    isRefreshed = true;
                    attempt -= 1;
                    continue;
                }
            } catch (error) {
                // fetch throws a TypeError if there is no answer.
                if (!(error instanceof TypeError)) throw error;
                lost = error;
            }
            const named = answer && Number(answer.headers.get("Retry-After") ?? 0);
            const jitter = random();
            const backoff = firstWait * 2 ** (attempt - 1) * (0.5 + jitter / 2);
            const wait = named ? named + jitter * Math.min(named, 1) : backoff;
            const passes = answer ? await isPassing(answer) : true;
            if (!passes || !mayRepeat || attempt >= attempts || wait > longestWait) {
                if (answer) return answer;
                throw lost;
            }
            await sleep(wait);
        }
    };
}

/** If the same call may succeed soon. The other 429 last for hours or days. */
async function isPassing(answer: Response): Promise<boolean> {
    if ([502, 503, 504].includes(answer.status)) return true;
    if (answer.status !== 429 && answer.status !== 409) return false;
    const problem: any = await answer.clone().json().catch(() => ({}));
    return problem.code === "rate_limited" || problem.code === "changed_meanwhile";
}

function isRepeatable(url: string, init: any): boolean {
    const method = (init.method ?? "GET").toUpperCase();
    const path = url.split("?")[0].replace(/^.*\/v1(?=\/)/, "");
    const hasKey = Object.keys(plain(init.headers)).some((name) => name.toLowerCase() === "idempotency-key");
    return method !== "POST" || hasKey || repeatablePosts.includes(path);
}

function plain(headers: any): Record<string, string> {
    if (typeof headers?.forEach !== "function") return { ...headers };
    const result: Record<string, string> = {};
    headers.forEach((text: string, name: string) => (result[name] = text));
    return result;
}
