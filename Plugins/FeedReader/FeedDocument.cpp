// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "FeedDocument.hpp"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/uri.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace {

constexpr std::size_t fieldBytes = 4096;
constexpr const char *atomNamespace = "http://www.w3.org/2005/Atom";

struct XMLCleanup {
    void operator()(xmlParserCtxt *parser) const noexcept { xmlFreeParserCtxt(parser); }
    void operator()(xmlDoc *document) const noexcept { xmlFreeDoc(document); }
    void operator()(xmlChar *text) const noexcept { xmlFree(text); }
};
template <typename Type>
using XML = std::unique_ptr<Type, XMLCleanup>;

std::string_view view(const xmlChar *text) {
    return text != nullptr ? reinterpret_cast<const char *>(text) : std::string_view();
}

const xmlChar *bytesOf(const char *text) {
    return reinterpret_cast<const xmlChar *>(text);
}

void refuseEntity(void *context, const xmlChar *, int, const xmlChar *, const xmlChar *, xmlChar *) noexcept {
    auto *const parser = static_cast<xmlParserCtxt *>(context);
    *static_cast<bool *>(parser->_private) = true;
    xmlStopParser(parser);
}

// The text in one line, without surrounding white space, cut after a whole character.
std::string trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    const std::size_t first = text.find_first_not_of(space);
    if (first == std::string_view::npos) {
        return {};
    }
    text = text.substr(first, text.find_last_not_of(space) - first + 1);
    if (text.size() > fieldBytes) {
        std::size_t end = fieldBytes;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
            end -= 1;
        }
        text = text.substr(0, end);
    }
    std::string line(text);
    std::replace_if(line.begin(), line.end(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; }, ' ');
    return line;
}

bool sharesNamespace(const xmlNode *one, const xmlNode *other) {
    return view(one->ns != nullptr ? one->ns->href : nullptr) == view(other->ns != nullptr ? other->ns->href : nullptr);
}

// Whether a node is an element with that name in its parent's namespace. Feeds contain other vocabularies with a
// `title` and a `link` of their own, so the namespace has to match.
bool isChild(const xmlNode *node, const char *name) {
    return node->type == XML_ELEMENT_NODE && view(node->name) == name && sharesNamespace(node, node->parent);
}

std::string textOf(const xmlNode *parent, const char *name) {
    for (const xmlNode *node = parent->children; node != nullptr; node = node->next) {
        if (isChild(node, name)) {
            const XML<xmlChar> text(xmlNodeGetContent(node));
            return trimmed(view(text.get()));
        }
    }
    return {};
}

// Atom has several links for an entry. The link for readers is `alternate`, which is also the default of `rel`.
std::string atomLink(const xmlNode *entry) {
    for (const xmlNode *node = entry->children; node != nullptr; node = node->next) {
        if (!isChild(node, "link")) {
            continue;
        }
        const XML<xmlChar> relation(xmlGetNoNsProp(node, bytesOf("rel")));
        if (!relation || view(relation.get()) == "alternate") {
            const XML<xmlChar> target(xmlGetNoNsProp(node, bytesOf("href")));
            return trimmed(view(target.get()));
        }
    }
    return {};
}

std::string absolute(const std::string &link, const xmlNode *node) {
    const XML<xmlChar> base(xmlNodeGetBase(node->doc, node));
    const XML<xmlChar> built(link.empty() || !base ? nullptr : xmlBuildURI(bytesOf(link.c_str()), base.get()));
    return built ? std::string(view(built.get())) : link;
}

FeedEntry readEntry(const xmlNode *node, bool isAtom) {
    FeedEntry entry;
    entry.title = textOf(node, "title");
    if (isAtom) {
        entry.guid = textOf(node, "id");
        entry.link = absolute(atomLink(node), node);
        entry.published = textOf(node, "published");
        if (entry.published.empty()) {
            entry.published = textOf(node, "updated");
        }
    } else {
        entry.guid = textOf(node, "guid");
        entry.link = absolute(textOf(node, "link"), node);
        entry.published = textOf(node, "pubDate");
    }
    if (entry.guid.empty()) {
        entry.guid = entry.link;
    }
    if (entry.guid.empty() && !entry.title.empty()) {
        entry.guid = entry.published.empty() ? entry.title : entry.title + " " + entry.published;
    }
    return entry;
}

void readEntries(const xmlNode *parent, const char *name, bool isAtom, FeedDocument &feed) {
    for (const xmlNode *node = parent->children; node != nullptr; node = node->next) {
        if (!isChild(node, name)) {
            continue;
        }
        FeedEntry entry = readEntry(node, isAtom);
        if (!entry.guid.empty()) {
            feed.entries.push_back(std::move(entry));
        }
    }
}

FeedDocument readRoot(const xmlNode *root, const std::string &address) {
    FeedDocument feed;
    const std::string_view name = view(root->name);
    if (name == "feed" && root->ns != nullptr && view(root->ns->href) == atomNamespace) {
        feed.title = textOf(root, "title");
        readEntries(root, "entry", true, feed);
        return feed;
    }
    if (name != "rss" && name != "RDF") {
        throw std::runtime_error(address + " is not a feed: its root is <" + trimmed(name)
                                 + ">, not <rss>, <rdf:RDF> or an Atom <feed>");
    }
    for (const xmlNode *node = root->children; node != nullptr; node = node->next) {
        if (node->type != XML_ELEMENT_NODE) {
            continue;
        }
        if (view(node->name) == "channel") {
            feed.title = textOf(node, "title");
            readEntries(node, "item", false, feed);
        } else if (name == "RDF" && view(node->name) == "item") { // in RSS 1.0 they are beside the channel
            FeedEntry entry = readEntry(node, false);
            if (!entry.guid.empty()) {
                feed.entries.push_back(std::move(entry));
            }
        }
    }
    return feed;
}

std::string describe(const xmlError *error) {
    if (error == nullptr || error->message == nullptr) {
        return "not well-formed";
    }
    return "line " + std::to_string(error->line) + ": " + trimmed(error->message);
}

} // namespace

FeedDocument readFeed(const std::string &bytes, const std::string &address) {
    if (bytes.empty() || bytes.size() > INT_MAX) {
        throw std::runtime_error(address + " is empty, or too large to be a feed");
    }
    const XML<xmlParserCtxt> parser(xmlNewParserCtxt());
    if (!parser) {
        throw std::bad_alloc();
    }
    bool declaresEntity = false;
    parser->_private = &declaresEntity;
    parser->sax->entityDecl = &refuseEntity;
    // Without XML_PARSE_HUGE, so that the parser's limits on depth and sizes apply.
    constexpr int options = XML_PARSE_NONET | XML_PARSE_RECOVER | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    const XML<xmlDoc> document(xmlCtxtReadMemory(parser.get(), bytes.data(), static_cast<int>(bytes.size()),
                                                 address.c_str(), nullptr, options));
    if (declaresEntity) {
        throw std::runtime_error(address + " declares entities, which no feed needs; it is refused");
    }
    const xmlNode *const root = document ? xmlDocGetRootElement(document.get()) : nullptr;
    const std::string damage = parser->wellFormed ? std::string() : describe(xmlCtxtGetLastError(parser.get()));
    if (root == nullptr) {
        throw std::runtime_error(address + " is not XML: " + damage);
    }
    FeedDocument feed = readRoot(root, address);
    if (feed.entries.empty() && !damage.empty()) {
        throw std::runtime_error(address + " is damaged before its first entry: " + damage);
    }
    feed.damage = damage;
    return feed;
}
