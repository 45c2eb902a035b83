// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import FoundationXML

/// The entries of an RSS or Atom document whose title or text contains a colour.
struct FeedDocument {
    private(set) var entries: [FeedEntry] = []
    /// The number of entries without a colour.
    private(set) var colorless = 0

    init(_ body: Data, of address: URL) throws {
        let reader = FeedReader()
        let parser = XMLParser(data: body)
        parser.delegate = reader
        // The delegate is more precise than the result, which is true even for a document that ends too early.
        _ = parser.parse()
        if let damage = reader.damage { throw Failure("\(address) is not a readable feed, \(damage)") }
        if !reader.isFeed { throw Failure("\(address) is not an RSS or Atom feed; set feed-url to one") }
        let dates = FeedDates()
        for item in reader.items {
            guard let color = Color(firstIn: item.title) ?? Color(firstIn: item.text) else {
                colorless += 1
                continue
            }
            let published = dates.date(item.published)
            entries.append(
                FeedEntry(
                    feed: address.absoluteString,
                    id: item.id.isEmpty ? item.link + item.title : item.id,
                    title: item.title,
                    link: item.link,
                    color: color,
                    published: published ?? Date(),
                    isDated: published != nil
                )
            )
        }
    }
}

/// Collects the items that `XMLParser` reports.
private final class FeedReader: NSObject, XMLParserDelegate {
    struct Item {
        var id = ""
        var title = ""
        var link = ""
        var text = ""
        var published = ""
    }

    private(set) var items: [Item] = []
    private(set) var isFeed = false
    /// Description and line of the first error in the document; nil without an error.
    private(set) var damage: String?
    private var item: Item?
    private var text = ""

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        text = ""
        switch name {
        case "rss", "feed", "rdf:RDF": isFeed = true
        case "item", "entry": item = Item()
        // In Atom it is an attribute. The first link is the entry itself; others may be pictures and replies.
        case "link": if item?.link == "", let address = attributes["href"] { item?.link = address }
        default: break
        }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        damage = damage ?? "line \(parser.lineNumber): XML error \((error as NSError).code)"
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch name {
        case "item", "entry":
            if let item { items.append(item) }
            item = nil
        case "guid", "id": item?.id = text
        case "title": item?.title = text
        case "link": if !text.isEmpty { item?.link = text }
        case "description", "summary", "content": item?.text += text
        case "pubDate", "published", "dc:date": item?.published = text
        case "updated": if item?.published == "" { item?.published = text }
        default: break
        }
        self.text = ""
    }
}
