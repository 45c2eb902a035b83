// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "ModelUpdate.hpp"

#include "EntryStore.hpp"
#include "Words.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace {

constexpr std::int64_t entriesBetweenPolls = 100;

using Weights = std::unordered_map<std::string, double>;

struct Model {
    std::int64_t number = 0;  // 0: there is no model yet
    std::int64_t learned = 0; // the number of words that had been counted when the model was built
};

Model currentModel(Database &database) {
    Statement find(database, "SELECT number, learned FROM model ORDER BY number DESC LIMIT 1");
    return find.step() ? Model{find.integer(0), find.integer(1)} : Model{};
}

// Counts of words. The extension writes the file at any time; one transaction reads a consistent state.
struct Counts {
    std::unordered_map<std::string, std::int64_t> words;
    std::int64_t learned = 0;
};

Counts readCounts(const std::filesystem::path &file) {
    Counts counts;
    if (!std::filesystem::exists(file)) {
        return counts;
    }
    Database typing(file);
    Transaction moment(typing);
    Statement isThere(typing, "SELECT 1 FROM sqlite_master WHERE name = 'lesson'");
    if (!isThere.step()) {
        return counts;
    }
    Statement sum(typing, "SELECT coalesce(sum(words), 0) FROM lesson");
    sum.step();
    counts.learned = sum.integer(0);
    Statement all(typing, "SELECT word, count FROM word");
    while (all.step()) {
        counts.words.emplace(all.text(0), all.integer(1));
    }
    return counts;
}

// Computes the weight of each word: frequently typed words weigh more, words in most titles less. False if the task is
// expiring.
bool weigh(Database &database, const Counts &counts, const Host &host, bgt_task task, Weights &weights) {
    std::unordered_map<std::string, std::int64_t> titles;
    std::int64_t entries = 0;
    Statement all(database, "SELECT title FROM entry");
    for (; all.step(); entries += 1) {
        if (entries % entriesBetweenPolls == 0 && host.isExpiring(task)) {
            return false;
        }
        for (const std::string &word : wordsOf(all.text(0))) {
            titles[word] += 1;
        }
    }
    for (const auto &[word, count] : counts.words) {
        const auto found = titles.find(word);
        const double having = found != titles.end() ? static_cast<double>(found->second) : 0;
        const double rarity = std::log1p(static_cast<double>(entries) / (1 + having));
        weights[word] = std::log1p(static_cast<double>(count)) * rarity;
    }
    return true;
}

// The heaviest words. Equal weights are ordered alphabetically, so that the same counts yield the same model.
std::vector<std::pair<std::string, double>> ranked(const Weights &weights, std::size_t most) {
    std::vector<std::pair<std::string, double>> words(weights.begin(), weights.end());
    std::sort(words.begin(), words.end(), [](const auto &one, const auto &other) {
        return one.second != other.second ? one.second > other.second : one.first < other.first;
    });
    if (words.size() > most) {
        words.resize(most);
    }
    return words;
}

Model replaceModel(Database &database, const std::vector<std::pair<std::string, double>> &words, Model old,
                   std::int64_t learned) {
    Transaction transaction(database);
    database.execute("DELETE FROM model; DELETE FROM model_word;");
    Statement insert(database, "INSERT INTO model_word (word, rank, weight) VALUES (?1, ?2, ?3)");
    std::int64_t rank = 0;
    for (const auto &[word, weight] : words) {
        insert.bind(1, word);
        insert.bind(2, ++rank);
        insert.bind(3, weight);
        insert.step();
        insert.reset();
    }
    const Model model{old.number + 1, learned};
    Statement remember(database, "INSERT INTO model (number, learned) VALUES (?1, ?2)");
    remember.bind(1, model.number);
    remember.bind(2, model.learned);
    remember.step();
    transaction.commit();
    return model;
}

Weights readModel(Database &database) {
    Weights weights;
    Statement all(database, "SELECT word, weight FROM model_word");
    while (all.step()) {
        weights.emplace(all.text(0), all.real(1));
    }
    return weights;
}

struct Unscored {
    std::int64_t row;
    std::string title;
};

// The next entries to score after row `after`; earlier rows have been scored, in this update or an earlier one.
std::vector<Unscored> nextBatch(Database &database, const Model &model, std::int64_t after, std::int64_t most) {
    std::vector<Unscored> batch;
    Statement find(database, "SELECT rowid, title FROM entry WHERE model IS NOT ?1 AND rowid > ?3"
                             " ORDER BY rowid LIMIT ?2");
    find.bind(1, model.number);
    find.bind(2, most);
    find.bind(3, after);
    while (find.step()) {
        batch.push_back({find.integer(0), find.text(1)});
    }
    return batch;
}

void score(Database &database, const std::vector<Unscored> &batch, const Weights &weights, const Model &model) {
    Transaction transaction(database);
    Statement update(database, "UPDATE entry SET score = ?1, model = ?2 WHERE rowid = ?3");
    for (const Unscored &entry : batch) {
        double sum = 0;
        for (const std::string &word : wordsOf(entry.title)) {
            const auto found = weights.find(word);
            sum += found != weights.end() ? found->second : 0;
        }
        update.bind(1, sum);
        update.bind(2, model.number);
        update.bind(3, entry.row);
        update.step();
        update.reset();
    }
    transaction.commit();
}

} // namespace

std::int32_t updateModel(const Host &host, bgt_task task) {
    const auto mostWords = static_cast<std::size_t>(host.number("model-words", 1000, 1, 1000000));
    const std::int64_t batchEntries = host.number("model-batch", 200, 1, 1000000);
    EntryStore store(host.container() / "feeds.sqlite");
    Database &database = store.database();

    const Counts counts = readCounts(host.container() / "typing.sqlite");
    Model model = currentModel(database);
    if (counts.learned == 0 && model.number == 0) {
        host.log(BGT_LOG_INFO, "nothing was learned yet");
        return BGT_OUTCOME_NO_DATA;
    }
    if (counts.learned != model.learned) {
        Weights weights;
        if (!weigh(database, counts, host, task, weights)) {
            host.log(BGT_LOG_WARNING, "stopped after the expiration; the previous model stays");
            return BGT_OUTCOME_FAILURE;
        }
        model = replaceModel(database, ranked(weights, mostWords), model, counts.learned);
    }
    const Weights weights = readModel(database);
    std::size_t scored = 0;
    for (auto batch = nextBatch(database, model, 0, batchEntries); !batch.empty();
         batch = nextBatch(database, model, batch.back().row, batchEntries)) {
        if (host.isExpiring(task)) {
            host.log(BGT_LOG_WARNING, "stopped after the expiration, after " + std::to_string(scored)
                                              + " entries; the next update goes on");
            return BGT_OUTCOME_FAILURE;
        }
        score(database, batch, weights, model);
        scored += batch.size();
    }
    host.log(BGT_LOG_INFO, "scored " + std::to_string(scored) + " entries by model " + std::to_string(model.number)
                               + " of " + std::to_string(weights.size()) + " words, "
                               + std::to_string(counts.learned) + " typed ones");
    return scored > 0 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_NO_DATA;
}
