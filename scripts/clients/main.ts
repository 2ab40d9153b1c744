// What an app does first, by the client that openapi-generator made of openapi.yaml: sign up by a friend's link, list friends,
// switch their invites off, and meet a name that is taken.
import { Configuration, FriendOrder, FriendsApi, Inviting, MeApi, ProblemCode, ProblemFromJSON, ResponseError, SignupApi } from "./client";

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
    console.log("TypeScript: signed up, listed friends, met username_taken");
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
