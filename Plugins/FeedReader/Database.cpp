// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "Database.hpp"

#include <stdexcept>

namespace {

constexpr int busyMilliseconds = 2000; // wait for an extension that reads or writes at the same time

} // namespace

Database::Database(const std::filesystem::path &file) {
    sqlite3 *handle = nullptr;
    const int result = sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    handle_.reset(handle); // SQLite returns a handle for the error message even when it fails
    if (result != SQLITE_OK) {
        const char *const reason = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(result);
        throw std::runtime_error(file.string() + " cannot be opened: " + reason);
    }
    sqlite3_busy_timeout(handle, busyMilliseconds);
}

void Database::execute(const char *sql) {
    check(sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr));
}

void Database::check(int result) const {
    if (result != SQLITE_OK) {
        const char *const file = sqlite3_db_filename(handle_.get(), "main");
        throw std::runtime_error(std::string(file != nullptr ? file : "database") + ": "
                                 + sqlite3_errmsg(handle_.get()));
    }
}

Statement::Statement(Database &database, const char *sql) : database_(database) {
    sqlite3_stmt *handle = nullptr;
    database.check(sqlite3_prepare_v2(database.handle_.get(), sql, -1, &handle, nullptr));
    handle_.reset(handle);
}

void Statement::bind(int index, const std::string &text) {
    database_.check(
        sqlite3_bind_text64(handle_.get(), index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int index, std::int64_t number) {
    database_.check(sqlite3_bind_int64(handle_.get(), index, number));
}

void Statement::bind(int index, double number) {
    database_.check(sqlite3_bind_double(handle_.get(), index, number));
}

bool Statement::step() {
    const int result = sqlite3_step(handle_.get());
    if (result != SQLITE_ROW && result != SQLITE_DONE) {
        database_.check(result);
    }
    return result == SQLITE_ROW;
}

std::string Statement::text(int column) const {
    const auto *const bytes = reinterpret_cast<const char *>(sqlite3_column_text(handle_.get(), column));
    return bytes != nullptr ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)))
                            : std::string();
}

Transaction::Transaction(Database &database) : database_(database) {
    database.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
    if (isOpen_) {
        sqlite3_exec(database_.handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    isOpen_ = false;
}
