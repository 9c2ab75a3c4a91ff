// SPDX-License-Identifier: Apache-2.0

// A report as a picture: bars of how many times faster, or smaller, than SQLite.
//
// The picture is SVG without scripts or fonts of its own. Its colours follow the reader's: a style
// sheet in it has those for dark pages, which browsers and forges apply to images, too.

import Foundation

/// A chart of a report's ratios.
package struct Chart {
  private struct Bar {
    let title: String
    /// How many times better than the base: above 1 we are ahead.
    let advantage: Double
  }

  private let bars: [Bar]
  private let caption: String

  private static let labelWidth = 300.0
  private static let plotWidth = 420.0
  private static let valueWidth = 80.0
  private static let lineHeight = 24.0
  private static let top = 56.0

  /// - Parameter caption: What was measured where and when; below the title.
  package init(_ report: Report, caption: String) {
    self.caption = caption
    bars = report.rows.compactMap { row in
      guard row.quantity != .ratio, let ours = row.median(of: Report.ours),
        let base = row.median(of: Report.base), ours > 0, base > 0
      else { return nil }
      return Bar(
        title: row.title, advantage: row.quantity.isLessBetter ? base / ours : ours / base)
    }
  }

  /// The picture; a bar's length is the logarithm of the advantage.
  package var svg: String {
    let width = Self.labelWidth + Self.plotWidth + Self.valueWidth
    let height = Self.top + Self.lineHeight * Double(bars.count) + 16
    let powers = powers()
    func x(_ advantage: Double) -> Double {
      let span = Double(powers.upperBound - powers.lowerBound)
      let place = log10(advantage) - Double(powers.lowerBound)
      return Self.labelWidth + place / span * Self.plotWidth
    }
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.number(width)) "
        + "\(Self.number(height))\" role=\"img\">",
      "<title>OpenRealm beside SQLite</title>", Self.style,
      Self.text("Times faster (right) or slower (left) than SQLite", 12, 20, "title"),
      Self.text(caption, 12, 38, "caption"),
    ]
    let bottom = height - 12
    for power in powers {
      let place = x(Self.power(power))
      lines.append(
        "<line class=\"\(power == 0 ? "one" : "grid")\" x1=\"\(Self.number(place))\" "
          + "x2=\"\(Self.number(place))\" y1=\"\(Self.number(Self.top - 10))\" "
          + "y2=\"\(Self.number(bottom))\"/>")
    }
    for (index, bar) in bars.enumerated() {
      let y = Self.top + Double(index) * Self.lineHeight
      let (one, end) = (x(1), x(bar.advantage))
      lines.append(Self.text(bar.title, Self.labelWidth - 8, y + 13, "label"))
      lines.append(
        "<rect class=\"\(bar.advantage >= 1 ? "ahead" : "behind")\" "
          + "x=\"\(Self.number(min(one, end)))\" y=\"\(Self.number(y))\" "
          + "width=\"\(Self.number(max(abs(end - one), 1)))\" height=\"16\"/>")
      let label = "\(Quantity.ratio.text(bar.advantage)) ×"
      lines.append(Self.text(label, max(one, end) + 6, y + 13, "value"))
    }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  private static let style = """
    <style>
    text { font: 12px system-ui, sans-serif; fill: #1f2328; }
    .title { font-weight: 600; font-size: 14px; }
    .caption, .value { fill: #59636e; }
    .label { text-anchor: end; }
    .grid { stroke: #d1d9e0; }
    .one { stroke: #59636e; }
    .ahead { fill: #0969da; }
    .behind { fill: #bc4c00; }
    @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .caption, .value { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .one { stroke: #9198a1; }
    .ahead { fill: #4493f8; }
    .behind { fill: #db6d28; }
    }
    </style>
    """

  /// The whole powers of ten around all bars, 0.1 to 10 at least.
  private func powers() -> ClosedRange<Int> {
    var (lowest, highest) = (-1, 1)
    for bar in bars {
      while Self.power(lowest) > bar.advantage { lowest -= 1 }
      while Self.power(highest) < bar.advantage { highest += 1 }
    }
    return lowest...highest
  }

  private static func power(_ exponent: Int) -> Double {
    (0..<abs(exponent)).reduce(1) { power, _ in exponent < 0 ? power / 10 : power * 10 }
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private static func text(_ text: String, _ x: Double, _ y: Double, _ style: String) -> String {
    "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(text))</text>"
  }

  /// A text as the content of an element.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}
