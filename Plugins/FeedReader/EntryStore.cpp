// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "EntryStore.hpp"

#include <stdexcept>

namespace {

constexpr std::int64_t schemaVersion = 2;

void prepareSchema(Database &database, const std::filesystem::path &file) {
    Transaction transaction(database);
    Statement version(database, "PRAGMA user_version");
    version.step();
    const std::int64_t found = version.integer(0);
    if (found > schemaVersion) {
        throw std::runtime_error(file.string() + " has schema " + std::to_string(found) + "; this plugin supports "
                                 + std::to_string(schemaVersion) + " and does not change it");
    }
    if (found < 1) {
        database.execute("CREATE TABLE feed (address TEXT PRIMARY KEY, etag TEXT NOT NULL,"
                         " last_modified TEXT NOT NULL);"
                         "CREATE TABLE entry (feed TEXT NOT NULL, guid TEXT NOT NULL, title TEXT NOT NULL,"
                         " link TEXT NOT NULL, published TEXT NOT NULL,"
                         " first_seen INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER)),"
                         " PRIMARY KEY (feed, guid));");
    }
    if (found < 2) {
        // The model that scored an entry is stored with it, so that the next update continues after a stop.
        database.execute("CREATE TABLE model (number INTEGER PRIMARY KEY, learned INTEGER NOT NULL);"
                         "CREATE TABLE model_word (word TEXT PRIMARY KEY, rank INTEGER NOT NULL, weight REAL NOT NULL)"
                         " WITHOUT ROWID;"
                         "ALTER TABLE entry ADD COLUMN score REAL;"
                         "ALTER TABLE entry ADD COLUMN model INTEGER;"
                         "PRAGMA user_version = 2;");
    }
    transaction.commit();
}

} // namespace

EntryStore::EntryStore(const std::filesystem::path &file) : database_(file) {
    database_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    prepareSchema(database_, file);
}

Validators EntryStore::validators(const std::string &feed) {
    Statement find(database_, "SELECT etag, last_modified FROM feed WHERE address = ?1");
    find.bind(1, feed);
    return find.step() ? Validators{find.text(0), find.text(1)} : Validators{};
}

std::size_t EntryStore::keep(const std::string &feed, const std::vector<FeedEntry> &entries,
                             const Validators &validators) {
    Transaction transaction(database_);
    Statement insert(database_, "INSERT INTO entry (feed, guid, title, link, published) VALUES (?1, ?2, ?3, ?4, ?5)"
                                " ON CONFLICT DO NOTHING");
    std::size_t fresh = 0;
    insert.bind(1, feed);
    for (const FeedEntry &entry : entries) {
        insert.bind(2, entry.guid);
        insert.bind(3, entry.title);
        insert.bind(4, entry.link);
        insert.bind(5, entry.published);
        insert.step();
        fresh += database_.changes();
        insert.reset();
    }
    Statement remember(database_, "INSERT INTO feed (address, etag, last_modified) VALUES (?1, ?2, ?3)"
                                  " ON CONFLICT DO UPDATE SET etag = ?2, last_modified = ?3");
    remember.bind(1, feed);
    remember.bind(2, validators.etag);
    remember.bind(3, validators.lastModified);
    remember.step();
    transaction.commit();
    return fresh;
}
