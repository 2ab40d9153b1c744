// What an app does first, by the client that openapi-generator made of openapi.yaml: sign up by a friend's link, list friends,
// switch their invites off, and meet a name that is taken.
import {
    AppPlatform, Configuration, ExperimentsApi, FriendOrder, FriendsApi, Inviting, MeApi, OperatorsApi, PolicyAction, ProblemCode,
    ProblemFromJSON, ResponseError, SignupApi, UpdatesApi,
} from "./client";

declare const process: { env: Record<string, string>; exit(status: number): never };

function client(token: string): Configuration {
    return new Configuration({ basePath: process.env.BASE_URL, accessToken: process.env[token] });
}

function expect(isRight: boolean, what: unknown): void {
    if (!isRight) throw new Error(JSON.stringify(what));
}

async function main(): Promise<void> {
    const me = client("TOKEN");
    const answer = await new SignupApi(me).signUp({
        signup: { username: "ts_hana", displayName: "花", invite: { url: process.env.LINK } },
    });
    expect(answer.invite.outcome === "accepted" && answer.invite.friendship === "friends", answer);

    const page = await new FriendsApi(me).listFriends({ limit: 10, order: FriendOrder.Recent });
    expect(page.friends.length === 1 && page.friends[0].uid === "u-1" && page.next === undefined, page);
    expect(Math.abs(page.friends[0].since.getTime() - Date.now()) < 600_000, page);

    await new MeApi(me).updateMe({ profileChange: { invites: Inviting.Off } });
    const start = await new MeApi(me).showMe();
    expect(start.invites === Inviting.Off && start.displayName === "花", start);

    try {
        await new SignupApi(client("OTHER_TOKEN")).signUp({ signup: { username: "TS_Hana" } });
        throw new Error("the name is taken");
    } catch (error) {
        if (!(error instanceof ResponseError)) throw error;
        const problem = ProblemFromJSON(await error.response.json());
        expect(error.response.status === 409 && problem.code === ProblemCode.UsernameTaken, problem);
    }
    // What the operator set for the app, by its key, and for the user.
    const key = client("CLIENT_KEY"), platform = AppPlatform.Ios;
    const policy = await new UpdatesApi(key).showPolicy({ platform, version: "3.9", os: "17", language: "ja" });
    expect(policy.action === PolicyAction.Hard && policy.target === "5.2" && policy.title === "更新してください", policy);
    const values = await new ExperimentsApi(key).showValues({ platform, unit: "ts" });
    expect(values.values.hint === "tap" && values.experiments.length === 1, values);
    await new ExperimentsApi(key).expose({ exposure: { unit: "ts", ...values.experiments[0] } });
    const offer = await new MeApi(me).dealOffer({ campaign: "spring" });
    expect(offer.url.includes(offer.code) && offer.expiresAt!.getTime() > Date.now(), offer);
    const purchases = await new MeApi(me).listMyPurchases();
    expect(purchases.assigned[0].campaign === "spring" && purchases.purchases.length === 0, purchases);
    // What happened, each with what its type has.
    const { events } = await new OperatorsApi(client("ADMIN_KEY")).listEvents({ limit: 500 });
    const [started] = events.filter((event) => event.type === "purchase.started");
    expect(started?.type === "purchase.started" && started.data.active === true && started.data.quantity === 1, events);
    expect(events.some((event) => event.type === "invite.used" && event.data.invitee?.uid === "schema-tester"), events);
    console.log("TypeScript: signed up, listed friends, met username_taken; policy, values, exposure, offer, purchases, events");
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
