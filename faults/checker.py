"""Compares the answers that clients got with the contents of the database after the fault."""

import hashlib
import uuid
from collections import Counter, defaultdict

TABLES = {
    "users": "SELECT id, uid, username, status FROM users",
    "signups": "SELECT user_id, name_key, outcome FROM signups",
    "periods": "SELECT user_id, name_key FROM username_periods WHERE valid_to IS NULL",
    "names": "SELECT name_key, user_id, state FROM usernames",
    "acceptances": "SELECT invitee_id, inviter_id FROM acceptances",
    "relationships": "SELECT user_id, other_id, since, i_want, they_want, i_block, they_block FROM relationships",
    "invites": "SELECT code, label, uses, max_uses FROM invites",
    "keys": "SELECT owner_id, code, idempotency_key FROM invites_by_owner",
    "uses": "SELECT code, user_id FROM invite_uses",
}


def user_id(uid):
    return str(uuid.UUID(bytes=hashlib.sha256(uid.encode()).digest()[:16]))


def grouped(rows, *columns):
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[column] for column in columns) if len(columns) > 1 else row[columns[0]]].append(row)
    return found


class Checker:
    """Finds errors, each a sentence. Lost: answered but missing. Doubled: present more than once. Wrong: any other error."""

    def __init__(self, ops, tables):
        self.ops, self.tables = ops, tables
        self.lost, self.doubled, self.wrong = [], [], []
        self.late = 0  # answers that missed a write which Citus had not committed on all nodes yet

    @classmethod
    async def read(cls, ops, cluster, database):
        return cls(ops, {name: await cluster.sql(database, sql) for name, sql in TABLES.items()})

    def check(self):
        self._sign_ups()
        self._names()
        self._friendships()
        self._links()
        self._uses()
        return self

    def of(self, *kinds):
        return [op for op in self.ops if op.kind in kinds]

    def _once(self, rows, what):
        if len(rows) > 1:
            self.doubled.append(f"{what}: {len(rows)} times")

    def _sign_ups(self):
        tables = {name: grouped(self.tables[name], column) for name, column in
                  {"users": "id", "signups": "user_id", "periods": "user_id", "acceptances": "invitee_id"}.items()}
        used = {(row["code"], row["user_id"]) for row in self.tables["uses"]}
        created = Counter(
            op.who for op in self.of("sign up") for attempt in op.attempts if attempt.status == 201)
        for op in self.of("sign up"):
            user = user_id(op.who)
            found = {name: table.get(user, []) for name, table in tables.items()}
            for name, rows in found.items():
                self._once(rows, f"sign-up of {op.who} in {name}")
            if created[op.who] > 1:
                self.doubled.append(f"sign-up of {op.who}: created {created[op.who]} times")
            there = {name: bool(found[name]) for name in ("users", "signups", "periods")}
            if len(set(there.values())) > 1:
                self.wrong.append(f"only a part of the sign-up of {op.who} was written: {there}")
            if op.result == "ok":
                if not all(there.values()):
                    self.lost.append(f"sign-up of {op.who}")
                self._attribution(op, found["acceptances"], used)
            elif op.result == "fail":
                self.wrong.append(f"sign-up of {op.who} was refused: {op.body.get('code')}")

    def _attribution(self, op, acceptances, used):
        invite = op.body.get("invite", {})
        if invite.get("outcome") != "accepted":
            if op.args["inviter"] and op.mayLag and invite.get("reason") == "not_found":
                self.late += 1
            elif op.args["inviter"]:
                self.wrong.append(f"{op.who}: a valid invite was {invite.get('outcome')} {invite.get('reason')}")
            return
        inviter = invite["inviter"]["uid"]
        if op.args["inviter"] and inviter != op.args["inviter"]:
            self.wrong.append(f"{op.who}: the invite of {op.args['inviter']} led to {inviter}")
        if user_id(inviter) not in [row["inviter_id"] for row in acceptances]:
            self.lost.append(f"{op.who} was invited by {inviter}")
        if op.args["code"] and (op.args["code"], user_id(op.who)) not in used:
            self.lost.append(f"the use of {op.args['code']} by {op.who}")

    def _names(self):
        rows, users = grouped(self.tables["names"], "name_key"), grouped(self.tables["users"], "id")
        for name, found in rows.items():
            self._once(found, f"the name {name}")
        current = grouped([row for row in self.tables["users"] if row["status"] == "active"], "username")
        for name, found in current.items():
            if len({row["id"] for row in found}) > 1:
                self.doubled.append(f"{len(found)} users have the name {name}")
        winners, renames = defaultdict(set), grouped([vars(op) for op in self.of("rename")], "who")
        for who, ops in renames.items():
            for op in ops:
                if op["result"] == "ok":
                    winners[op["args"]["name"]].add(who)
            definite = [op for op in ops if op["result"] == "ok"]
            if any(op["result"] == "info" for op in ops) or not definite:
                continue
            name = definite[-1]["args"]["name"]
            owners = [row["user_id"] for row in rows.get(name, []) if row["state"] == "active"]
            if user_id(who) not in owners or name not in [row["username"] for row in users.get(user_id(who), [])]:
                self.lost.append(f"{who} renamed to {name}")
        for name, who in winners.items():
            if len(who) > 1:
                self.doubled.append(f"{len(who)} users got the name {name}")

    def _friendships(self):
        rows = grouped(self.tables["relationships"], "user_id", "other_id")
        for (one, other), found in rows.items():
            self._once(found, f"the row of {one} and {other}")
            mirror = rows.get((other, one))
            row = found[0]
            if mirror is None:
                self.wrong.append(f"{one} and {other}: only one of two rows")
            elif (row["since"], row["i_want"], row["i_block"]) != (
                    mirror[0]["since"], mirror[0]["they_want"], mirror[0]["they_block"]):
                self.wrong.append(f"{one} and {other}: the rows differ")
        for pair, ops in self._histories().items():
            one, other = map(user_id, pair)
            isThere = any(row["since"] for row in rows.get((one, other), []))
            isWanted = self._wanted(ops)
            if isWanted is not None and isThere != isWanted:
                self.lost.append(f"{pair[0]} and {pair[1]} {'are friends' if isWanted else 'are no longer friends'}")
            wishes = [row for row in rows.get((one, other), []) + rows.get((other, one), []) if row["i_want"] == "t"]
            if isWanted is False and wishes and not isThere:
                self.wrong.append(f"{pair[0]} and {pair[1]} ended their friendship, but one wants it again")

    def _histories(self):
        found = defaultdict(list)
        for op in self.of("befriend", "end", "accept", "sign up"):
            other = op.args.get("other") or (op.body.get("invite") or {}).get("inviter", {}).get("uid")
            if other:
                found[tuple(sorted((op.who, other)))].append(op)
        return found

    @staticmethod
    def _wanted(ops):
        """Whether the pair must be friends; None if nobody can know. The operations of a pair are in order, or commute."""
        if any(op.result != "ok" for op in ops):
            return None
        ended = max((index for index, op in enumerate(ops) if op.kind == "end"), default=-1)
        later = ops[ended + 1:]
        if any(op.kind in ("accept", "sign up") for op in later) or len({op.who for op in later}) == 2:
            return True
        return False if not later and ended >= 0 else None

    def _links(self):
        links, keys = grouped(self.tables["invites"], "code"), grouped(self.tables["keys"], "owner_id", "idempotency_key")
        labels = grouped(self.tables["invites"], "label")
        for op in self.of("make link"):
            found = keys.get((user_id(op.who), op.args["key"]), [])
            self._once(found, f"the link of {op.who} with {op.args['key']}")
            if op.result == "ok":
                codes = [row["code"] for row in found]
                if not codes or op.body["code"] not in links:
                    self.lost.append(f"the link of {op.who} with {op.args['key']}")
                elif op.body["code"] not in codes:
                    self.wrong.append(f"the link of {op.who} with {op.args['key']} is not the one in the answer")
            elif op.mayLag and op.body.get("code") == "not_signed_up":
                self.late += 1
            elif op.result == "fail":
                self.wrong.append(f"a link of {op.who} was refused: {op.body.get('code')}")
        for op in self.of("make link once"):
            found = labels.get(op.args["label"], [])
            self._once(found, f"the link '{op.args['label']}'")
            if op.result == "ok" and not found:
                self.lost.append(f"the link '{op.args['label']}'")

    def _uses(self):
        uses = grouped(self.tables["uses"], "code")
        answered = defaultdict(int)
        for op in self.of("sign up"):
            if op.result == "ok" and op.args["code"] and op.body["invite"]["outcome"] == "accepted":
                answered[op.args["code"]] += 1
        for row in self.tables["invites"]:
            code, most = row["code"], int(row["max_uses"] or 1 << 30)
            counted = len({use["user_id"] for use in uses.get(code, [])})
            if counted != int(row["uses"]):
                self.wrong.append(f"link {code} counts {row['uses']} uses, and has {counted}")
            if answered[code] > most:
                self.doubled.append(f"link {code} was used {answered[code]} times, but allows {most}")
