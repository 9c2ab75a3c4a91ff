// SPDX-License-Identifier: Apache-2.0

// What a pin says about who took it, for people.
//
// A note is in words of the slot that no other part of the table uses; processes of older versions
// of this library neither write nor read it:
//
//     16  the version that the note is about
//     24  the thread, as the system numbers it
//     32  when it was pinned, in nanoseconds of the clock that all processes of a system share
//     40  `VersionUse`
//
// The words are written one by one, and read while others write them. So a note may be that of a
// pin that came a moment before or after: it is never relied on.

import CRealmPlatform
import Dispatch
import Synchronization

extension ReaderTable {
  /// Notes who took a pin.
  func note(_ use: VersionUse, of version: UInt64, in pin: Pin) {
    unsafe Self.word(24, of: pin.slot).pointee
      .store(realm_thread_identifier(), ordering: .relaxed)
    unsafe Self.word(32, of: pin.slot).pointee
      .store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
    unsafe Self.word(40, of: pin.slot).pointee.store(UInt64(use.rawValue), ordering: .relaxed)
    unsafe Self.word(16, of: pin.slot).pointee.store(version, ordering: .releasing)
  }

  /// Releases a pin together with its note.
  func releaseNoted(_ pin: Pin) {
    unsafe Self.word(16, of: pin.slot).pointee.store(0, ordering: .relaxed)
    release(pin)
  }

  /// The note in a slot that pins `version`; nil if there is none.
  func holder(
    in slot: UnsafeMutablePointer<Atomic<UInt64>>, of version: UInt64, process: Int32,
    at now: UInt64
  ) -> HeldVersion.Holder? {
    guard unsafe Self.word(16, of: slot).pointee.load(ordering: .acquiring) == version,
      let use = unsafe VersionUse(
        rawValue: UInt8(
          truncatingIfNeeded: Self.word(40, of: slot).pointee.load(ordering: .relaxed)
        ))
    else { return nil }
    let since = unsafe Self.word(32, of: slot).pointee.load(ordering: .relaxed)
    return HeldVersion.Holder(
      process: process,
      thread: unsafe Self.word(24, of: slot).pointee.load(ordering: .relaxed), use: use,
      heldNanoseconds: now - min(since, now))
  }

  /// Drops the note that a process has left in a slot.
  static func clearNote(of slot: UnsafeMutablePointer<Atomic<UInt64>>) {
    unsafe word(16, of: slot).pointee.store(0, ordering: .relaxed)
  }

  private static func word(
    _ offset: Int, of slot: UnsafeMutablePointer<Atomic<UInt64>>
  ) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe slot + offset / 8
  }
}
