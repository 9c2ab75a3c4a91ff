// SPDX-License-Identifier: Apache-2.0

// Events on their way to a client: `text/event-stream` (P1 A.3).

#if Server
import RealmFormats

/// The body of the answer to `watch`.
package struct EventStream: Sendable {
  package static let contentType = "text/event-stream"

  private let watch: DocumentWatch

  init(_ watch: DocumentWatch) { self.watch = watch }

  /// The parts of the body, from its beginning.
  package func makeParts() -> Parts { Parts(events: watch.makeEvents()) }

  /// Takes the parts, one after the other, in one task.
  package struct Parts {
    fileprivate var events: DocumentWatch.Events
    private var isEnded = false

    fileprivate init(events: DocumentWatch.Events) { self.events = events }

    /// The next part; nil at the end of the stream.
    package mutating func next() async -> [UInt8]? {
      guard !isEnded else { return nil }
      do throws(DocumentError) {
        guard let events = try await events.next() else {
          isEnded = true
          return nil
        }
        // A comment keeps the connection alive.
        guard !events.isEmpty else { return Array(":\n".utf8) }
        return events.flatMap { EventStream.bytes(ExtendedJSONWriter.json($0), type: nil) }
      } catch {
        isEnded = true
        let problem = APIError(call: error)
        return EventStream.bytes(
          ["error_code": .string(problem.name), "error": .string(problem.message)],
          type: "error")
      }
    }
  }

  /// The bytes of an event.
  fileprivate static func bytes(_ json: JSONValue, type: String?) -> [UInt8] {
    var bytes: [UInt8] = []
    if let type { bytes += Array("event: \(type)\n".utf8) }
    bytes += Array("data: ".utf8)
    for byte in JSONWriter.bytes(json) {
      switch byte {
      case UInt8(ascii: "%"): bytes += Array("%25".utf8)
      case 0x0A: bytes += Array("%0A".utf8)
      case 0x0D: bytes += Array("%0D".utf8)
      default: bytes.append(byte)
      }
    }
    bytes += [0x0A, 0x0A]
    return bytes
  }
}
#endif
