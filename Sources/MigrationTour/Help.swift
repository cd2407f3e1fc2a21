extension Options {
    static let help = """
        Counts the lines, words and bytes of files, checks the bytes against cksum, and prints a table.
        The job is done once per stage of a migration from callbacks to async/await; the tables must be identical.
        With --mix it is done in stage 1, and then with each of its functions in a stage of its own.

        USAGE: MigrationTour [FILE ...] [--mix [SEED]] [--jobs N] [--timeout SECONDS] [--cksum PROGRAM]
               MigrationTour --follow FILE

          FILE               A file to work on. None: the package's own .swift and .md files.
          --mix [SEED]       Draws a stage for each function, from the seed that it prints, and that repeats the run. A
                             whole number from 0 to 18446744073709551615; what begins with another character than a
                             digit or a sign is a file.
          --jobs N           At most N files in flight, from 1 to 1024; fewer where the system allows fewer open
                             files. Default: the number of active processors.
          --timeout SECONDS  How long one file may take, from 0.001 to 86400. Default: 60.
          --cksum PROGRAM    What computes checksums; it prints CRC, BYTES and NAME. Default: /usr/bin/cksum.
          --follow FILE      Counts one file while it grows, and shows the counts, until Ctrl-C; then the total.
          --help, -h         Prints this.
          --                 Ends the options: what follows is a file, even if it begins with '-'.

        Lines are newlines. Words are runs of bytes other than ASCII white space. A file that is missing, unreadable,
        empty or a directory, whose child fails or whose time is up, has a row that says so. Ctrl-C stops what is under way, and
        prints the table of the stage that it was in.

        EXIT STATUS: 0 every file has its figures; 1 some file has not; 2 the tables differ; 64 wrong usage;
        130 interrupted.
        """
}
