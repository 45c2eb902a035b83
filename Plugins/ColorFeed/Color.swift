// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A colour in the notation of web pages, such as `#b7410e`.
struct Color: Hashable, Sendable, Codable, RawRepresentable {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    init?(rawValue: String) { self.init(firstIn: rawValue) }

    /// The first colour in a text; nil if it contains none.
    init?(firstIn text: String) {
        guard let found = text.firstMatch(of: /#([0-9a-fA-F]{6})(?![0-9a-zA-Z])/),
            let value = UInt32(found.1, radix: 16)
        else { return nil }
        red = UInt8(truncatingIfNeeded: value >> 16)
        green = UInt8(truncatingIfNeeded: value >> 8)
        blue = UInt8(truncatingIfNeeded: value)
    }

    var rawValue: String { String(format: "#%02x%02x%02x", Int(red), Int(green), Int(blue)) }

    // MARK: Appearance

    /// Hue in degrees, from red through green and blue; nil for greys.
    var hue: Double? {
        let (red, green, blue) = (Double(red), Double(green), Double(blue))
        let most = max(red, green, blue)
        let range = most - min(red, green, blue)
        guard saturation >= 0.12 else { return nil }
        let sixth: Double
        if most == red {
            sixth = ((green - blue) / range).truncatingRemainder(dividingBy: 6)
        } else if most == green {
            sixth = (blue - red) / range + 2
        } else {
            sixth = (red - green) / range + 4
        }
        return sixth < 0 ? (sixth + 6) * 60 : sixth * 60
    }

    private var saturation: Double {
        let most = max(red, green, blue)
        return most == 0 ? 0 : Double(most - min(red, green, blue)) / Double(most)
    }

    /// Key to sort colours by hue, greys last, and within a hue from dark to bright.
    var placeOnWheel: (Double, Double) { ((hue ?? 360).rounded(), luminance) }

    /// Relative luminance from 0 to 1, by the formula of the Web Content Accessibility Guidelines.
    var luminance: Double {
        func linear(_ channel: UInt8) -> Double {
            let share = Double(channel) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// Text colour with the higher contrast on this colour: black or white.
    var ink: String { (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000" : "#fff" }
}
