// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension LedgerSchema {
    /// The claims of requests that a feeder submitted for a fleet: with each request and task, and with the journal
    /// entries about them, which a feeder reads in the order of numbers.
    static let claims = """
        ALTER TABLE request ADD COLUMN claim_item INTEGER;
        ALTER TABLE request ADD COLUMN claim_fence INTEGER;
        ALTER TABLE request ADD COLUMN claim_bound INTEGER;
        ALTER TABLE request ADD COLUMN claim_lease TEXT;
        ALTER TABLE task ADD COLUMN claim_item INTEGER;
        ALTER TABLE task ADD COLUMN claim_fence INTEGER;
        ALTER TABLE task ADD COLUMN claim_bound INTEGER;
        ALTER TABLE task ADD COLUMN claim_lease TEXT;
        ALTER TABLE journal ADD COLUMN claim_item INTEGER;
        ALTER TABLE journal ADD COLUMN claim_fence INTEGER;
        ALTER TABLE journal ADD COLUMN claim_bound INTEGER;
        CREATE INDEX journal_with_claim ON journal (claim_item IS NOT NULL) WHERE claim_item IS NOT NULL;
        """
}
