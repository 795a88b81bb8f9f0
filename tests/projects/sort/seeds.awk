# Writes seeds.c: where the generator starts on each rank. The function is generated, too.
BEGIN {
    print "#line 1 \"seeds.awk\""
    print "#include \"oddeven.h\"\nunsigned seed_of(int rank);"
    print "static const unsigned seeds[] = {"
    for (i = 1; i <= 16; i++)
        printf "%du,\n", i * i * 7919 % 65521
    print "};"
    print "unsigned seed_of(int rank) {\n    unsigned all = 0;"
    print "    for (int i = 0; i < 16; i++)\n        all += seeds[i];"
    print "    return oddeven_agree((int)(all % 1000)) ? seeds[rank % 16] : 0;\n}"
}
