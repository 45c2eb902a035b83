// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

// C++ wrapper of SQLite with ownership and exceptions. Confined to one thread.
class Database {
public:
    explicit Database(const std::filesystem::path &file);

    void execute(const char *sql);
    std::size_t changes() const noexcept { return static_cast<std::size_t>(sqlite3_changes(handle_.get())); }

private:
    friend class Statement;
    friend class Transaction;

    struct Close {
        void operator()(sqlite3 *handle) const noexcept { sqlite3_close(handle); }
    };

    void check(int result) const; // throws unless it is SQLITE_OK

    std::unique_ptr<sqlite3, Close> handle_;
};

// One prepared statement. It must not outlive its database.
class Statement {
public:
    Statement(Database &database, const char *sql);

    void bind(int index, const std::string &text); // the text is copied
    void bind(int index, std::int64_t number);
    void bind(int index, double number);
    bool step(); // true: a row is available
    void reset() noexcept { sqlite3_reset(handle_.get()); }
    std::int64_t integer(int column) const noexcept { return sqlite3_column_int64(handle_.get(), column); }
    double real(int column) const noexcept { return sqlite3_column_double(handle_.get(), column); }
    std::string text(int column) const;

private:
    struct Finalize {
        void operator()(sqlite3_stmt *handle) const noexcept { sqlite3_finalize(handle); }
    };

    Database &database_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

// A write transaction, which is rolled back unless it is committed.
class Transaction {
public:
    explicit Transaction(Database &database);
    ~Transaction();
    Transaction(const Transaction &) = delete;
    Transaction &operator=(const Transaction &) = delete;

    void commit();

private:
    Database &database_;
    bool isOpen_ = true;
};
