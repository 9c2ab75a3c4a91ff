// SPDX-License-Identifier: Apache-2.0

// Where the users and triggers are that a command is about.

#if Server
import ArgumentParser

/// The options that name an app and where its users and triggers are.
struct RecordOptions: ParsableArguments {
  @Option(help: "The folder of the server, which may run.")
  var dir: String

  @Option(help: "The app; needed if the folder has several.")
  var appId: String?

  @Option(
    help: ArgumentHelp(
      "The database of the server, if its realms are in one.",
      valueName: "postgresql://host/name"))
  var store: String?
}
#endif
