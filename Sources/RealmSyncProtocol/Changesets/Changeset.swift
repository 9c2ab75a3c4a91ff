// SPDX-License-Identifier: Apache-2.0

// The instructions of one transaction, with their strings and bytes.

/// The changes of one transaction, as a sequence of instructions.
///
/// Invariants:
/// 1. Each interned string of an instruction or a path element has an entry in `strings`.
/// 2. Each range of payload bytes and of path elements lies inside of the changeset.
/// 3. No two instructions share path elements.
///
/// An instruction is added in this order: intern its names, add its path elements and its payload
/// bytes, append it.
package struct Changeset: Sendable {
  package var origin: ChangesetOrigin
  package var instructions: [Instruction] = []
  package var strings = StringTable()
  /// The path elements of all instructions.
  package var elements: [PathElement] = []
  /// The bytes of all strings and binaries in payloads.
  package var payloadBytes: [UInt8] = []

  package init(origin: ChangesetOrigin = ChangesetOrigin()) { self.origin = origin }

  package var isEmpty: Bool { instructions.isEmpty }

  /// The index of a string. Adds it to the string table if needed.
  package mutating func intern(_ text: String) -> InternedString {
    strings.intern(text, position: instructions.count)
  }

  /// Adds the elements of a path; each instruction needs its own.
  package mutating func addElements(_ path: some Collection<PathElement>) -> ElementRange {
    guard !path.isEmpty else { return .none }
    let start = elements.count
    elements.append(contentsOf: path)
    return ElementRange(start: UInt32(start), count: UInt32(elements.count - start))
  }

  /// Adds the bytes of a string for a payload.
  package mutating func addBytes(_ text: String) -> ByteRange {
    let offset = payloadBytes.count
    payloadBytes.append(contentsOf: text.utf8)
    return ByteRange(offset: offset, count: payloadBytes.count - offset)
  }

  /// Adds the bytes of a binary for a payload.
  package mutating func addBytes(_ bytes: some Collection<UInt8>) -> ByteRange {
    let offset = payloadBytes.count
    payloadBytes.append(contentsOf: bytes)
    return ByteRange(offset: offset, count: payloadBytes.count - offset)
  }

  /// Adds an instruction, whose strings, elements and bytes are this changeset's.
  package mutating func append(_ instruction: Instruction) { instructions.append(instruction) }

  /// The string of an index.
  package func text(of string: InternedString) -> String { strings.text(of: string) }

  /// The string of a payload.
  package func text(_ range: ByteRange) -> String {
    String(decoding: payloadBytes[range.indices], as: UTF8.self)
  }

  /// The bytes of a string or a binary of a payload.
  package func bytes(_ range: ByteRange) -> ArraySlice<UInt8> { payloadBytes[range.indices] }

  /// The steps of a path below its field.
  package func elements(of path: InstructionPath) -> ArraySlice<PathElement> {
    elements[path.elements.indices]
  }

  /// The last step of a path, nil for a property itself.
  package func lastElement(of path: InstructionPath) -> PathElement? {
    path.elements.isEmpty ? nil : elements[path.elements.indices.upperBound - 1]
  }
}

/// The part of a history entry for merging, beside the instructions.
package struct ChangesetOrigin: Hashable, Sendable {
  /// The version of the changeset in its history.
  package var version: UInt64
  /// The newest version of the receiver's history that was integrated before the changeset was
  /// made. Incoming changesets with the same one have the same base.
  package var remoteVersion: UInt64
  /// The file of the changeset's author; `FileIdentifier.own` in a client's own history.
  package var file: FileIdentifier
  package var timestamp: OriginTimestamp

  package init(
    version: UInt64 = 0, remoteVersion: UInt64 = 0, file: FileIdentifier = .own,
    timestamp: OriginTimestamp = OriginTimestamp(milliseconds: 0)
  ) {
    self.version = version
    self.remoteVersion = remoteVersion
    self.file = file
    self.timestamp = timestamp
  }
}
