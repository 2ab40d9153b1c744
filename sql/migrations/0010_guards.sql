CREATE FUNCTION require(met boolean, outcome text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF met THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'KT001', MESSAGE = outcome;
END $$;
COMMENT ON FUNCTION require IS
    'A guard between the statements of a batch. Unless the condition is met, it ends the whole transaction '
    'with SQLSTATE KT001 and the outcome as the message.';

CREATE FUNCTION require_row(is_there boolean, missing text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF is_there THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = format('the %s is missing or old', missing),
        DETAIL = 'Citus has not yet committed on its node what wrote it, or it was changed by hand.',
        HINT = 'Citus goes on within citus.recover_2pc_interval. If this stays, `kith verify` finds the row.';
END $$;
COMMENT ON FUNCTION require_row IS
    'A guard for a row that another row says is there. If Citus loses a node between the two halves of a COMMIT, each node '
    'shows its own half at another time, and an update of a row that nobody sees yet would change nothing. So the '
    'transaction ends with SQLSTATE 40001: it can be tried again.';

INSERT INTO schema_migrations (version, name) VALUES (10, 'guards');
