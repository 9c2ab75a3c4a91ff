// SPDX-License-Identifier: Apache-2.0

// What the disk may select instead of what the header in the system's memory selects.

extension SessionStart {
  /// Alternatives that are older are not protected, but ruled out by a sync.
  private static let protectedVersionCountMax: UInt64 = 64

  /// Reads the alternative from the slot that is not selected.
  ///
  /// The last change of a header was that of the selector, and its other slot names the version
  /// selected before; or a later version was named there that was never selected, and the version
  /// selected before is not known. Whoever changed the selector had synced the version before.
  ///
  /// - Parameter space: The whole file.
  init(_ entry: VersionEntry, after header: FileHeader, in space: NodeSpace) {
    self.entry = entry
    alternative = Self.unknownAlternative
    // No version was ever selected, or none but in streaming form, which has no other slot.
    if entry.topRef.isNull || header.isStreaming {
      alternative = Self.noAlternative
      return
    }
    let value = header.topRef(slot: 1 - header.selectedSlot)
    guard value != 0 else {
      // The empty version before the first commit needs nothing.
      alternative = Self.noAlternative
      return
    }
    guard value & 7 == 0, value < UInt64(space.fileEnd),
      let top = try? TopArray(at: Ref(Int(value)), in: space), top.version < entry.version,
      entry.version - top.version <= Self.protectedVersionCountMax
    else { return }
    alternative = top.version
  }
}
