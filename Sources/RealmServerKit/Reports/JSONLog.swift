// SPDX-License-Identifier: Apache-2.0

// A log for programs: an object of JSON in each line.

#if Server
import Foundation
package import Logging
import RealmFormats

/// Writes messages as lines of JSON.
package struct JSONLog: LogHandler {
  private let label: String
  private let write: @Sendable ([UInt8]) -> Void
  package var logLevel = Logger.Level.info
  package var metadata = Logger.Metadata()
  package var metadataProvider: Logger.MetadataProvider?

  /// - Parameter write: Takes whole lines; the standard error's end if none is given.
  package init(
    label: String,
    write: @escaping @Sendable ([UInt8]) -> Void = {
      FileHandle.standardError.write(Data($0))
    }
  ) {
    self.label = label
    self.write = write
  }

  /// A value for all messages.
  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes a message as a line.
  package func log(event: LogEvent) {
    var members = [
      JSONMember("time", .string(Self.text(Date()))),
      JSONMember("level", .string(event.level.rawValue)), JSONMember("label", .string(label)),
      JSONMember("message", .string("\(event.message)")),
    ]
    var all = metadata
    all.merge(metadataProvider?.get() ?? [:]) { _, new in new }
    all.merge(event.metadata ?? [:]) { _, new in new }
    if !all.isEmpty {
      members.append(JSONMember("metadata", Self.json(.dictionary(all))))
    }
    write(JSONWriter.bytes(.object(members)) + [UInt8(ascii: "\n")])
  }

  private static func text(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  private static func json(_ value: Logger.MetadataValue) -> JSONValue {
    switch value {
    case .string(let text): .string(text)
    case .stringConvertible(let other): .string("\(other)")
    case .array(let values): .array(values.map { json($0) })
    case .dictionary(let values):
      .object(values.sorted { $0.key < $1.key }.map { JSONMember($0.key, json($0.value)) })
    }
  }
}
#endif
