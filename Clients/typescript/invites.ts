import type {
    Accepted, InstallClaim, InstallClaimed, InviteReference, InvitesApi, LinkToResolve, Resolved, ResolvedDeepLink, Signup,
    SignupAnswer, SignupApi,
} from "./client";
import { KithLink, linkURL, LinkRules, parseLink } from "./links";

/** Where the app keeps what must survive its end, such as AsyncStorage or localStorage. */
export interface Storage {
    getItem(key: string): Promise<string | null> | string | null;
    setItem(key: string, value: string): Promise<void> | void;
}

interface State {
    installationId: string;
    /** The link that was opened last, or else the claim. */
    invite?: InviteReference;
    claim?: InstallClaimed;
    /** What the server answered already. */
    asked: string[];
}

function isLikely({ invite, claim }: State): boolean {
    return claim?.confidence === "likely" && claim.claim !== undefined && invite?.claim === claim.claim;
}

/** Undefined if the server refuses the call with this code. */
async function orUndefined<Answer>(code: string, call: Promise<Answer>): Promise<Answer | undefined> {
    try {
        return await call;
    } catch (error: any) {
        const problem = await error?.response?.clone?.().json().catch(() => undefined);
        if (problem?.code !== code) throw error;
        return undefined;
    }
}

/** What an installation of the app must not forget before the sign-up. */
export class KithInvites {
    private state?: State;
    private claiming?: Promise<InstallClaimed | undefined>;
    private last: Promise<unknown> = Promise.resolve();

    constructor(
        private readonly api: { invites: InvitesApi; signup: SignupApi },
        private readonly rules: LinkRules,
        private readonly storage: Storage,
        private readonly newId: () => string = () => Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join("-"),
    ) {}

    /** Reads the URL that opened the app, and keeps it as the invite for the sign-up. */
    async opened(url: string): Promise<KithLink | undefined> {
        const link = parseLink(url, this.rules);
        if (link) await this.change((state) => ({ ...state, invite: { url: linkURL(link, this.rules) } }));
        return link;
    }

    /**
     * Asks the server where a deep link leads that opened the app; undefined if it is none, or leads nowhere. If it leads to an
     * invite, this keeps that for the sign-up, as `opened` does.
     */
    async deepLink(linkToResolve: LinkToResolve): Promise<ResolvedDeepLink | undefined> {
        const link = await orUndefined("not_found", this.api.invites.resolveLink({ linkToResolve }));
        if (link) await this.opened(link.target);
        return link;
    }

    /** Asks the server once by whose link this installation came; a paste by the user is new each time. */
    async claimOnFirstLaunch(evidence: Omit<InstallClaim, "installationId">): Promise<InstallClaimed | undefined> {
        // Of calls at the same time, one asks first.
        while (this.claiming) await this.claiming.catch(() => undefined);
        this.claiming = this.claim(evidence).finally(() => (this.claiming = undefined));
        return this.claiming;
    }

    private async claim(evidence: Omit<InstallClaim, "installationId">): Promise<InstallClaimed | undefined> {
        const state = await this.read();
        // A link that the user pastes is worth more than a guess.
        if (state.claim && (evidence.pasteboard === undefined || state.claim.confidence === "exact")) return state.claim;
        const names = (["referrer", "facts"] as const).filter((name) => evidence[name] !== undefined);
        if (evidence.pasteboard === undefined && names.every((name) => state.asked.includes(name))) return undefined;
        const installClaim = { ...evidence, installationId: state.installationId };
        // Undefined if nothing says by whose link the installation came.
        const claim = await orUndefined("claim_not_found", this.api.invites.claimInstall({ installClaim }));
        await this.change((now) => {
            const best = claim ?? now.claim;
            // A link that was opened meanwhile is what the user did last.
            const isOwn = now.invite === undefined || (now.claim !== undefined && now.invite.claim !== undefined && now.invite.claim === now.claim.claim);
            const invite = isOwn ? (best?.claim ? { claim: best.claim } : undefined) : now.invite;
            return { ...now, claim: best, invite, asked: [...now.asked, ...names] };
        });
        return claim;
    }

    /** The invite to sign up with, or to accept: the link that was opened last, or else the claim. */
    async pendingInvite(): Promise<InviteReference | undefined> {
        return (await this.read()).invite;
    }

    /** Whether the invite may be somebody else's: ask the user "Did … invite you?", and on yes `accept` it. */
    async isLikely(): Promise<boolean> {
        return isLikely(await this.read());
    }

    /** Forgets the invite: the user said no to it, or not now. `signUp` and `accept` forget by themselves what they used. */
    async forgetInvite(): Promise<void> {
        await this.forget(await this.pendingInvite());
    }

    /** Forgets the claim and the invite that was used, but not a link that was opened meanwhile. */
    private forget(used: InviteReference | undefined): Promise<State> {
        const text = JSON.stringify(used);
        return this.change((now) => ({
            ...now, claim: undefined, invite: JSON.stringify(now.invite) === text ? undefined : now.invite,
        }));
    }

    /** Tells who invites and what accepting makes; undefined if nobody. */
    async resolve(): Promise<Resolved | undefined> {
        const inviteReference = await this.pendingInvite();
        return inviteReference && this.api.invites.resolveInvite({ inviteReference });
    }

    /**
     * Signs up with the kept invite. The same call again gives the same answer. An invite that is only likely stays, until the
     * user said whether it is theirs: then `accept` or `forgetInvite`.
     */
    async signUp(profile: Signup): Promise<SignupAnswer> {
        const state = await this.read();
        const answer = await this.api.signup.signUp({ signup: { invite: state.invite, ...profile } });
        // Whether a likely inviter is right, the user has yet to say.
        const isOpen = !profile.invite && isLikely(state) && answer.invite.outcome === "accepted";
        if (!isOpen) await this.forget(state.invite);
        return answer;
    }

    /** Accepts the kept invite, for a user who has an account; undefined if there is none. */
    async accept(): Promise<Accepted | undefined> {
        const inviteReference = await this.pendingInvite();
        if (!inviteReference) return undefined;
        const answer = await this.api.invites.acceptInvite({ inviteReference });
        await this.forget(inviteReference);
        return answer;
    }

    private read(): Promise<State> {
        return this.change((state) => state);
    }

    /** One change after the other: each begins with what the one before it left. */
    private change(change: (state: State) => State): Promise<State> {
        const result = this.last.catch(() => undefined).then(async () => {
            const before = await this.load();
            const after = change(before);
            return after === before ? before : this.write(after);
        });
        this.last = result;
        return result;
    }

    private async load(): Promise<State> {
        if (this.state) return this.state;
        try {
            this.state = JSON.parse((await this.storage.getItem("kith.installation")) ?? "null") ?? undefined;
        } catch {
            // What cannot be read is as on the first start.
        }
        return this.state ?? this.write({ installationId: this.newId(), asked: [] });
    }

    /** Stores before it remembers: the server must never see an id that a crash would lose. */
    private async write(state: State): Promise<State> {
        await this.storage.setItem("kith.installation", JSON.stringify(state));
        this.state = state;
        return state;
    }
}
