// SPDX-License-Identifier: Apache-2.0

// The events of a body of the type `text/event-stream` (P1 A.3).

/// An event of a stream.
package struct StreamEvent: Hashable, Sendable {
  /// Empty for the usual type.
  package var type: String
  package var data: String

  package init(type: String = "", data: String) {
    self.type = type
    self.data = data
  }
}

/// Reads the parts of a body as they come.
package struct EventStreamParser {
  /// The bytes of a line, and of an event, at most.
  private static let byteCountMax = 64 << 20

  private var line: [UInt8] = []
  private var type = ""
  private var data: [String] = []
  private var dataByteCount = 0
  private var endsWithReturn = false

  package init() {}

  /// Adds bytes. Returns the events that they complete; nil if an event is too large.
  package mutating func add(_ bytes: [UInt8]) -> [StreamEvent]? {
    var events: [StreamEvent] = []
    for byte in bytes {
      defer { endsWithReturn = byte == 0x0D }
      switch byte {
      // The second half of CR LF.
      case 0x0A where endsWithReturn: continue
      case 0x0A, 0x0D:
        if let event = endLine() { events.append(event) }
        line.removeAll(keepingCapacity: true)
      default:
        line.append(byte)
        guard line.count + dataByteCount <= Self.byteCountMax else { return nil }
      }
    }
    return events
  }

  /// The event that a line completes.
  private mutating func endLine() -> StreamEvent? {
    guard !line.isEmpty else {
      defer { (type, data, dataByteCount) = ("", [], 0) }
      guard !data.isEmpty else { return nil }
      return StreamEvent(
        type: type == "message" ? "" : type, data: Self.unescaped(data.joined(separator: "\n")))
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
    let name = String(decoding: line[..<colon], as: UTF8.self)
    var rest = line.dropFirst(colon + 1)
    if rest.first == 0x20 { rest = rest.dropFirst() }
    let value = String(decoding: rest, as: UTF8.self)
    switch name {
    case "event": type = value
    case "data":
      data.append(value)
      dataByteCount += value.utf8.count
    // A comment, whose name is empty, or a field that nobody needs.
    default: break
    }
    return nil
  }

  /// The text without the three escapes that there are.
  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        let value: UInt8? =
          switch Array(rest.prefix(2)) {
          case Array("25".utf8): UInt8(ascii: "%")
          case Array("0A".utf8): 0x0A
          case Array("0D".utf8): 0x0D
          default: nil
          }
        if let value {
          bytes.append(value)
          rest = rest.dropFirst(2)
          continue
        }
      }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
