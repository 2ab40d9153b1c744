CREATE FUNCTION require(met boolean, outcome text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF met THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'KT001', MESSAGE = outcome;
END $$;
COMMENT ON FUNCTION require IS
    'A guard between the statements of a batch. Unless the condition is met, it ends the whole transaction '
    'with SQLSTATE KT001 and the outcome as the message.';

INSERT INTO schema_migrations (version, name) VALUES (10, 'guards');
