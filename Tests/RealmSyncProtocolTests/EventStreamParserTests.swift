// SPDX-License-Identifier: Apache-2.0

// The events of streams, in whatever parts they come.

import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct EventStreamParserTests {
  private static func events(_ text: String, partCount: Int) -> [StreamEvent]? {
    var parser = EventStreamParser()
    var events: [StreamEvent] = []
    var rest = Array(text.utf8)[...]
    let size = max(1, rest.count / partCount)
    while !rest.isEmpty {
      guard let more = parser.add(Array(rest.prefix(size))) else { return nil }
      events += more
      rest = rest.dropFirst(size)
    }
    return events
  }

  @Test(arguments: [
    ("", []), (":\n", []), ("\n\n", []),
    ("data: {}\n\n", [StreamEvent(data: "{}")]),
    ("data:{}\r\n\r\n", [StreamEvent(data: "{}")]),
    ("data: a\rdata:  b\r\r", [StreamEvent(data: "a\n b")]),
    (
      ": note\nevent: error\ndata: x\n\ndata: y\n\n",
      [
        StreamEvent(type: "error", data: "x"), StreamEvent(data: "y"),
      ]
    ),
    ("event: message\nid: 3\ndata: x\n\n", [StreamEvent(data: "x")]),
    ("data: 100%25%0A%0D%0B%\n\n", [StreamEvent(data: "100%\n\r%0B%")]),
    ("data: unfinished\n", []),
    ("data\n\n", [StreamEvent(data: "")]),
  ])
  func bytesAreEvents(_ text: String, _ expected: [StreamEvent]) {
    for partCount in [1, 2, 3, 100] {
      expectEqual(Self.events(text, partCount: partCount), expected, "\(text) in \(partCount)")
    }
  }

  @Test func anEventHasALimit() {
    var parser = EventStreamParser()
    let part = [UInt8](repeating: 97, count: 16 << 20)
    for _ in 0..<3 { expectEqual(parser.add(part), []) }
    expectEqual(parser.add(part + part), nil)
  }
}
