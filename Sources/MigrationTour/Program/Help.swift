extension Options {
    static let help = """
        Does one job in the four stages of a migration from completion handlers to async/await, and compares the
        results. The job counts the lines, words and bytes of files, and checks the bytes with cksum.

        USAGE: MigrationTour [FILE ...] [--table] [--jobs N] [--timeout SECONDS] [--cksum PROGRAM]
               MigrationTour --follow FILE

          FILE               A file to work on. Default: the .swift and .md files of this package.
          --table            Also prints the table of files.
          --jobs N           How many files can be in flight, from 1 to 1024; fewer if the system limits open files.
                             Default: the number of active processors.
          --timeout SECONDS  How long one file can take, from 0.001 to 86400. Default: 60.
          --cksum PROGRAM    The program that prints CRC, BYTES and NAME of a file. Default: /usr/bin/cksum.
          --follow FILE      Counts one file while it grows. Ctrl-C ends it and prints the total.
          --help, -h         Prints this help.
          --                 Ends the options: all that follows is files.

        A line ends with a newline. A word is a run of bytes that aren't ASCII white space. A file that is missing,
        unreadable, empty or a directory is an error, and so are a failed cksum and a timeout. Ctrl-C cancels the
        running stage and skips the others.

        EXIT STATUS: 0 if all results are identical and no file has an error; 1 if a file has an error;
        2 if the results differ; 64 for a wrong option; 130 after Ctrl-C.
        """
}
