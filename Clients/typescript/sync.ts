import type { Change, FriendsApi } from "./client";
import type { Storage } from "./invites";

interface Kept {
    people: Record<string, Change>;
    cursor?: string;
}

/** Friends, requests and blocks of a user, kept on the device and brought up to date by what changed. */
export class FriendSync {
    private kept?: Kept;
    private syncing?: Promise<void>;
    private readonly key: string;

    constructor(private readonly api: FriendsApi, uid: string, private readonly storage: Storage, private readonly limit = 500) {
        this.key = `kith.friends-${uid}`;
    }

    /** What is known now, newest first. */
    async people(): Promise<Change[]> {
        const time = (person: Change) => person.since?.getTime() ?? 0;
        return Object.values((await this.read()).people).sort((a, b) => time(b) - time(a) || (a.uid < b.uid ? -1 : 1));
    }

    async friends(): Promise<Change[]> {
        return (await this.people()).filter((person) => person.relationship === "friends");
    }

    /** Asks what changed. Calls at the same time share one. If it fails, what was known stands. */
    sync(): Promise<void> {
        this.syncing ??= this.run().finally(() => (this.syncing = undefined));
        return this.syncing;
    }

    private async run(): Promise<void> {
        const kept = await this.read();
        try {
            await this.pages(kept);
        } catch (error: any) {
            const problem = (await error?.response?.clone?.().json().catch(() => undefined)) ?? {};
            const reloads = problem.code === "reload_required" || (problem.status === 400 && problem.field === "after");
            if (!reloads || kept.cursor === undefined) throw error;
            // Until all is there again, the old list is better than half of the new one.
            await this.pages({ people: {} });
        }
    }

    /** A later visit stores each page, so that a crash loses none; the first stores all together. */
    private async pages(start: Kept): Promise<void> {
        let draft = start;
        for (let hasMore = true; hasMore; ) {
            const page = await this.api.listChanges({ limit: this.limit, after: draft.cursor });
            const people = { ...draft.people };
            for (const change of page.changes) {
                if (change.relationship === "none") delete people[change.uid];
                else people[change.uid] = change;
            }
            draft = { people, cursor: page.next };
            hasMore = page.hasMore;
            if (start.cursor !== undefined || !hasMore) await this.keep(draft);
        }
    }

    private async keep(kept: Kept): Promise<void> {
        await this.storage.setItem(this.key, JSON.stringify(kept));
        this.kept = kept;
    }

    private async read(): Promise<Kept> {
        try {
            const isTime = (name: string, value: unknown) => name === "since" && typeof value === "string";
            this.kept ??=
                JSON.parse((await this.storage.getItem(this.key)) ?? "null", (name, value) =>
                    isTime(name, value) ? new Date(value) : value,
                ) ?? undefined;
        } catch {
            // What cannot be read is read anew.
        }
        return (this.kept ??= { people: {} });
    }
}
